# clca: `make` lists the targets. `build` and `demo` need Go alone, `test` Node too; it gets itself a browser.

GOROOT  := $(shell go env GOROOT)
GO_WASM := GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -overlay=js/build/overlay.json
ESBUILD := go tool esbuild --log-level=warning --bundle --target=es2022 --sourcemap --format=esm
# Makes the import of 'clca' in a bundle an import of the published files in directory $(1), as the page sees it.
clca     = --alias:clca=$(1)/index.js --alias:clca/client=$(1)/client.js --external:$(1)/*
# `go test` in wasm: without the environment, of which a Go program takes 8 KB at most.
NODE_EXEC = env -i 'PATH=$$PATH' '$(GOROOT)/lib/wasm/go_js_wasm_exec'

# Directories count as sources, so that a removed file is noticed.
sources  = $(shell find $(1) -type d -o -name '*.$(2)' ! -name '*_test.go')
files    = $(shell test ! -d $(1) || find $(1) -type f -name '$(2)')
go_core := $(call sources,core wasm,go) go.mod go.sum js/build/overlay.json
ts      := $(call sources,js/src,ts) js/build/wasm_exec.js
dist    := $(addprefix js/dist/,index.js client.js common.js shared-worker.js clca.wasm)
tarball := js/build/clca-$(shell sed -n 's/^  "version": "\(.*\)",/\1/p' js/package.json).tgz

site_scripts := $(wildcard $(addprefix example-site/src/,index.ts primitives.ts benchmark.ts conformance.ts scenarios-page.ts *-worker.ts $(addprefix examples/,sources.ts */page.ts */*worker.ts)))
site := $(patsubst js/dist/%,example-site/dist/clca/%,$(dist)) \
	$(patsubst example-site/static/%,example-site/dist/%,$(call files,example-site/static,*)) \
	$(patsubst example-site/src/%.ts,example-site/dist/%.js,$(site_scripts)) \
	$(patsubst js/test/pages/%.ts,example-site/dist/test/%.js,$(wildcard js/test/pages/*.ts)) \
	$(patsubst js/test/pages/%,example-site/dist/test/%,$(wildcard js/test/pages/*.html)) \
	$(patsubst js/test/programs/%/main.go,example-site/dist/test/%.wasm,$(wildcard js/test/programs/*/main.go)) \
	$(if $(wildcard example-site/hub),example-site/dist/hub.wasm example-site/dist/wasm_exec.js)
# Of the benchmark: the pages, the scripts and Workers that a directory of its own may have, and the programs.
bench_dir := example-site/dist/bench
bench := example-site/dist/wasm_exec.js $(addprefix $(bench_dir)/,index.html page.js worker.js plain-hub.js) \
	$(patsubst js/test/bench/%.ts,$(bench_dir)/%.js,$(wildcard $(addprefix js/test/bench/*/,page.ts *-worker.ts))) \
	$(patsubst js/test/bench/%,$(bench_dir)/%,$(wildcard js/test/bench/*/*.html)) \
	$(patsubst js/test/bench/%/main.go,$(bench_dir)/%.wasm,$(wildcard $(addprefix js/test/bench/,*/main.go */*/main.go)))
node_tests := $(patsubst js/test/node/%.ts,js/build/node/%.js,$(wildcard js/test/node/*.ts))
node_programs := $(addprefix js/build/node/,tools.wasm dies.wasm pauses.wasm endurance.wasm callback.wasm)

.PHONY: help build demo site test check test-go test-wasm test-types test-package test-browser test-node browser
.PHONY: test-firefox firefox test-runtimes figures screenshots
.PHONY: soak fuzz bench curves size package fmt clean FORCE
.DELETE_ON_ERROR:
stage = @printf '\n== %s, at %s\n' $(1) $$(date +%T)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | expand -t 14

build: $(dist) ## the package's scripts and module, into js/dist

demo: site ## build the site and serve it
	go run ./example-site/serve

site: $(site) ## the site, into example-site/dist

test: check test-go test-wasm test-types test-package test-browser test-node ## everything
	$(call stage,'all stages passed')

check: ## formatting and vet, for both platforms
	$(call stage,'gofmt and go vet')
	@unformatted=$$(gofmt -l $(go_dirs)); test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }
	go vet ./...
	GOOS=js GOARCH=wasm go vet ./...

test-go: js/build/fuzz/client.js ## Go tests with the race detector
	$(call stage,'Go under the race detector')
	go test -race -vet=off -timeout=30m $$(go list ./... | grep -v '/js/test$$')

test-wasm: ## Go tests as wasm in Node
	$(call stage,'Go as wasm in Node')
	GOOS=js GOARCH=wasm go test -vet=off -exec="$(NODE_EXEC)" ./core/... ./wasm/...

test-types: js/node_modules/.package-lock.json js/build/wasm_exec.js js/examples/node_modules/.package-lock.json ## TypeScript type check
	$(call stage,'TypeScript types')
	js/node_modules/.bin/tsc -p js
	@for config in $(wildcard js/examples/*/tsconfig.json); do js/node_modules/.bin/tsc -p $$config || exit 1; done

# The timeout is that of a file; each example has one of its own.
test-package: js/build/consumer ## what is published: its files, its types, and what tools make of it
	$(call stage,'package')
	js/node_modules/.bin/publint --strict $(tarball)
	js/node_modules/.bin/attw --profile=esm-only --exclude-entrypoints=clca.wasm --quiet $(tarball)
	@for config in $(notdir $(wildcard js/test/types/*.json)); do js/node_modules/.bin/tsc -p $</$$config || exit 1; done
	node --test --test-timeout=1200000 --test-reporter=spec $(wildcard js/test/package/*.mjs)

test-browser: site js/node_modules/.package-lock.json js/examples/node_modules/.package-lock.json browser ## the suites in a headless browser
	$(call stage,'browser')
	go test -count=1 -vet=off -timeout=30m -parallel=3 ./js/test

test-node: build $(node_tests) $(node_programs) ## the suite in Node's worker threads
	$(call stage,'Node worker threads')
	$(if $(node_tests),node --test --test-reporter=spec $(node_tests),@echo no tests yet)

SCREENSHOTS ?= js/build/screenshots
FIREFOX ?= $(or $(shell command -v firefox),firefox-esr)
test-firefox: site firefox ## the conformance suite in a headless Firefox, which nobody drives; ONLY=text picks cases
	$(call stage,'Firefox')
	go run ./js/test/conform -only='$(filter-out .,$(ONLY))' $(FIREFOX)

test-runtimes: js/build/consumer/conformance.js js/build/consumer/web-worker.js js/build/runtimes/node_modules/.package-lock.json js/node_modules/.package-lock.json ## the suite and the examples in pinned versions of Node, Deno and Bun; RUNTIME=deno
	$(call stage,'other runtimes')
	node js/test/runtimes/run.mjs

# $(call installed,commands,package): one of the commands is there, or Debian's package is installed, where that may be.
define installed
	@for b in $(1); do if command -v $$b >/dev/null; then exit 0; fi; done; \
	if command -v apt-get >/dev/null; then \
		if test "$$(id -u)" = 0; then sudo=; elif sudo -n true 2>/dev/null; then sudo=sudo; else sudo=none; fi; \
	else sudo=none; fi; \
	if test "$$sudo" = none; then echo 'This needs one of $(1) on PATH (on Debian: apt-get install $(2)).' >&2; exit 1; fi; \
	$$sudo apt-get update && $$sudo apt-get install -y --no-install-recommends $(2)
endef
browser: # installs what the browser tests need, where it may
	$(call installed,headless-shell chromium chromium-browser google-chrome google-chrome-stable,chromium)
firefox:
	$(call installed,$(FIREFOX),firefox-esr)

figures: site browser ## what it costs to open each page of the site, under a throttle
	FIGURES=1 go test -count=1 -vet=off -v -run='^TestSiteFigures$$' ./js/test

screenshots: site js/node_modules/.package-lock.json browser ## of all pages of the site, into SCREENSHOTS=directory
	@mkdir -p $(SCREENSHOTS)
	SCREENSHOTS=$(abspath $(SCREENSHOTS)) go test -count=1 -vet=off -run='^TestSite(Pages|Looks|FrontLooks)$$' ./js/test

MINUTES ?= 10
soak: site browser build $(node_tests) $(node_programs) ## random walks and endurance in their long forms, for MINUTES each
	$(call stage,'soak: browser')
	SOAK=$(MINUTES) go test -count=1 -vet=off -v -timeout=0 -run='Walk|Linear|Endurance|HubLocksDo' ./js/test
	$(call stage,'soak: Node')
	for t in $(filter $(addprefix js/build/node/,walk.js hostile.js endurance.js queue-random.js),$(node_tests)); do \
		SOAK=$(MINUTES) node --test --test-reporter=spec $$t || exit 1; done

FUZZTIME ?= 1m
fuzz = go test -vet=off -run='^$$' -fuzz=$(1) -fuzztime=$(FUZZTIME) -fuzzminimizetime=1000x
fuzz: js/build/fuzz/client.js ## fuzz what the hub exports and what a client hears, for FUZZTIME each
	$(call fuzz,FuzzExports) ./wasm/hub
	$(call fuzz,FuzzClient) ./js/test/fuzz

ONLY ?= .
bench: site $(bench) js/build/client.min.js browser ## the benchmark's table; JSON=file writes its rows too, ROUNDS=20, ONLY=Realm
	go test -run='^$$' -bench='$(ONLY)' ./core/...
	JSON=$(abspath $(JSON)) go test -count=1 -vet=off -timeout=0 -run='^$$' -bench='$(ONLY)' -benchtime=1x ./js/test

curves: site $(bench) browser ## how cost grows, drawn into js/curves; ROUNDS=20
	CURVES=$(abspath js/curves) go test -count=1 -vet=off -timeout=0 -run='^$$' -bench=Growth -benchtime=1x ./js/test

size: build js/build/client.min.js js/build/index.min.js ## what is published against its budget, and what each import costs
	@GO_WASM="$(GO_WASM)" node js/size.mjs

package: $(tarball) ## the tarball that is published, js/build/clca-<version>.tgz

fmt: ## format the Go files
	gofmt -w $(go_dirs)

clean: ## remove all that was built
	rm -rf js/build js/dist js/examples/*/build js/examples/*/dist example-site/dist js/README.md js/LICENSE

go_dirs := $(wildcard core wasm js/test js/wasmexec example-site)

js/dist/clca.wasm: $(go_core) Makefile
	@mkdir -p $(@D)
	$(GO_WASM) -o $@ ./wasm
	@chmod -x $@

# What both entry points have is a file of its own, so that a class of one is the class of the other.
js/dist/index.js: $(ts) Makefile
	$(ESBUILD) --splitting --chunk-names=common --outdir=$(@D) js/src/index.ts js/src/client.ts

js/dist/client.js js/dist/common.js: js/dist/index.js
	@touch $@

js/dist/shared-worker.js: $(ts) Makefile
	$(ESBUILD) --outfile=$@ js/src/shared-worker.ts

js/build/%.min.js: js/src/%.ts $(ts) Makefile
	$(ESBUILD) --minify --outfile=$@ $<

js/build/wasm_exec.js: $(call sources,js/wasmexec,go) js/wasmexec/wasm_exec.d.ts js/build/toolchain
	go run ./js/wasmexec '$(GOROOT)/lib/wasm/wasm_exec.js' $(@D)

# Its parts are made anew where others would stay that are not of this build, so that equal sources give equal bytes.
$(tarball): $(dist) js/dist/index.d.ts js/dist/clca.wasm.br js/LICENSE js/README.md js/package.json
	@rm -f js/build/*.tgz
	cd js && npm pack --ignore-scripts --loglevel=error --pack-destination=build

# A program that has installed the package, and is made of the type tests.
js/build/consumer: $(tarball) $(wildcard js/test/types/*)
	@rm -rf $@; mkdir -p $@/node_modules/clca; echo '{ "type": "module" }' >$@/package.json
	tar -xzf $(tarball) --strip-components=1 -C $@/node_modules/clca
	@cp js/test/types/* $@

js/dist/index.d.ts: $(ts) js/declarations.mjs js/tsconfig.json js/tsconfig.package.json js/node_modules/.package-lock.json
	@rm -rf js/build/types js/dist/*.d.ts
	js/node_modules/.bin/tsc -p js/tsconfig.package.json
	node js/declarations.mjs js/build/types js/dist

js/dist/clca.wasm.br: js/dist/clca.wasm js/compress.mjs
	node js/compress.mjs --write $<

js/LICENSE: LICENSE
	@cp $< $@

# Its links lead to what is not published, and so do its pictures.
js/README.md: README.md
	@sed -E -e 's,(!\[[^]]*\]\()([^):#]+\)),\1https://raw.githubusercontent.com/clca-dev/clca/main/\2,g' \
		-e 's,\]\(([^):#]+)\),](https://github.com/clca-dev/clca/blob/main/\1),g' $< >$@

# wasm/overlay says what is laid over, and why.
js/build/overlay.json: js/build/toolchain Makefile
	@printf '{"Replace":{"%s":"%s"}}\n' '$(GOROOT)/src/internal/godebug/godebug.go' 'wasm/overlay/godebug.go' >$@

# Changes when the toolchain does, and only then.
js/build/toolchain: FORCE
	@mkdir -p $(@D); go version | cmp -s - $@ || go version >$@

js/build/node/%.js: js/test/node/%.ts $(call files,js/test,*.ts) $(call files,example-site/src,*.ts) $(ts) Makefile
	$(ESBUILD) --platform=node --external:clca --outfile=$@ $<

# Where the package is installed.
js/build/consumer/%.js: js/test/runtimes/%.ts $(call files,js/test,*.ts) js/build/consumer Makefile
	$(ESBUILD) --platform=node --external:clca --outfile=$@ $<

js/build/fuzz/client.js: $(call files,js/test/fuzz,*.ts) $(ts) Makefile
	$(ESBUILD) --platform=node --outfile=$@ js/test/fuzz/client.ts

js/build/node/%.wasm: js/test/programs/%/main.go $(go_core) Makefile
	@mkdir -p $(@D)
	$(GO_WASM) -o $@ ./$(<D)

example-site/dist/hub.wasm: $(go_core) $(call files,example-site/hub,*.go) Makefile
	@mkdir -p $(@D)
	$(GO_WASM) -o $@ ./example-site/hub

example-site/dist/wasm_exec.js: js/build/toolchain
	@mkdir -p $(@D)
	cp '$(GOROOT)/lib/wasm/wasm_exec.js' $@

example-site/dist/clca/%: js/dist/%
	@mkdir -p $(@D)
	@cp $<* $(@D)

example-site/dist/test/%.js: js/test/pages/%.ts $(call files,js/test,*.ts) $(call files,example-site/src,*.ts) $(ts) Makefile
	$(ESBUILD) $(call clca,../clca) --outfile=$@ $<

example-site/dist/test/%.wasm: js/test/programs/%/main.go $(go_core) Makefile
	@mkdir -p $(@D)
	$(GO_WASM) -o $@ ./$(<D)

example-site/dist/test/%: js/test/pages/%
	@mkdir -p $(@D)
	@cp $< $@

# What a peer requires in Node alone.
node_only := $(addprefix --external:,child_process os worker_threads)

$(bench_dir)/%.js: js/test/bench/%.ts $(call files,js/test/bench,*.ts) $(ts) js/node_modules/.package-lock.json Makefile
	$(ESBUILD) $(call clca,$(if $(findstring /,$*),../)../clca) $(node_only) --outfile=$@ $<

$(bench_dir)/%.wasm: js/test/bench/%/main.go $(go_core) Makefile
	@mkdir -p $(@D)
	$(GO_WASM) -o $@ ./$(<D)

$(bench_dir)/%: js/test/bench/%
	@mkdir -p $(@D)
	@cp $< $@

# Its benchmark is that of js/test, without the libraries of npm; its conformance page runs the suite of js/test.
example-site/dist/%.js: example-site/src/%.ts $(call files,example-site/src,*.ts) $(call files,js/test,*.ts) $(ts) Makefile
	$(ESBUILD) $(call clca,./clca) --outfile=$@ $<

example-site/dist/examples/%.js: example-site/src/examples/%.ts $(call files,example-site/src,*.ts) Makefile
	$(ESBUILD) $(call clca,$(if $(findstring /,$*),../)../clca) --outfile=$@ $<

example-site/dist/%: example-site/static/%
	@mkdir -p $(@D)
	@cp $< $@

js/node_modules/.package-lock.json: js/package.json js/package-lock.json
	cd js && npm ci --no-audit --no-fund
	@touch $@

js/build/runtimes/node_modules/.package-lock.json: js/test/runtimes/package.json js/test/runtimes/package-lock.json
	@mkdir -p js/build/runtimes; cp $^ js/build/runtimes
	cd js/build/runtimes && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# One install for all of them, with the package as it is published.
js/examples/node_modules/.package-lock.json: $(wildcard $(addprefix js/examples/,package*.json */package.json)) $(tarball)
	rm -rf js/build/package && tar -xzf $(tarball) -C js/build
	cd js/examples && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@
