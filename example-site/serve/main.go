// Command serve serves the built site on this machine. `make demo` builds the site and runs it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	site "github.com/clca-dev/clca/example-site"
)

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", "localhost:8080", "address to listen on, or a free port of its host if it is taken")
	dir := flag.String("dir", filepath.FromSlash("example-site/dist"), "the built site")
	flag.Parse()

	if _, err := os.Stat(*dir); err != nil {
		log.Fatalf("no site to serve, run make site: %v", err)
	}
	listener, url, err := listen(*addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("clca is at %s (Ctrl+C stops the server)\n", url)
	log.Fatal(http.Serve(listener, site.Handler(*dir)))
}

// listen returns the listener and the address to open in a browser.
func listen(addr string) (net.Listener, string, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		fmt.Printf("%s is taken, using a free port\n", addr)
		listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, "", err
	}
	if host == "" {
		host = "localhost" // any address was asked for; this one is a secure context, which locks need
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return listener, "http://" + net.JoinHostPort(host, strconv.Itoa(port)) + "/", nil
}
