// The official Go SDK, as its documentation serves it: one server for all sessions and requests.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// options are the command-line flags; flags that this program does not use are ignored.
type options struct {
	transport, mode, framing string
	tools, port              int
}

func readOptions() options {
	var o options
	flag.StringVar(&o.transport, "transport", "http", "http or stdio")
	flag.StringVar(&o.mode, "mode", "modern", "modern, session or stateless")
	flag.StringVar(&o.framing, "framing", "json", "json or stream")
	flag.IntVar(&o.tools, "tools", 1, "how many tools there are")
	flag.IntVar(&o.port, "port", 0, "the port to serve at; 0 for any that is free")
	for _, ignored := range []string{"workers", "page", "max-line", "schemas"} {
		flag.String(ignored, "", "ignored")
	}
	flag.Parse()
	return o
}

func serveHTTP(server *mcp.Server, o options) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", o.port))
	if err != nil {
		return err
	}
	settings := &mcp.StreamableHTTPOptions{Stateless: o.mode != "session", JSONResponse: o.framing == "json"}
	http.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, settings))
	fmt.Printf("{\"port\":%d}\n", listener.Addr().(*net.TCPAddr).Port)
	return http.Serve(listener, nil)
}

func main() {
	o := readOptions()
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1.0.0"}, nil)
	addTools(server, o.tools)
	if o.transport == "http" {
		log.Fatal(serveHTTP(server, o))
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
