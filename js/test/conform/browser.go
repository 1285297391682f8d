//go:build !js

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// What keeps Firefox from asking, updating and calling home, and has it print what its pages write on their consoles.
const preferences = `
user_pref("app.normandy.enabled", false);
user_pref("app.update.enabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("devtools.console.stdout.content", true);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.enabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
`

// prepare returns the command that opens the page: of Firefox, without a window and as if for the first time.
func prepare(ctx context.Context, browser []string, profile, page string) (*exec.Cmd, error) {
	arguments := append([]string{}, browser[1:]...)
	if strings.HasPrefix(filepath.Base(browser[0]), "firefox") {
		if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o644); err != nil {
			return nil, err
		}
		arguments = append(arguments, "--headless", "--no-remote", "--profile", profile)
	}
	command := exec.CommandContext(ctx, browser[0], append(arguments, page)...)
	command.Env = append(os.Environ(), "MOZ_CRASHREPORTER_DISABLE=1")
	command.WaitDelay = 5 * time.Second // its children may hold its output open
	return command, nil
}
