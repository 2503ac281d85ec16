// The official Go SDK: over stdio and at /stateless of both eras, at /mcp (with sessions) and at /sse legacy only.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type none struct{}

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type total struct {
	Sum float64 `json:"sum"`
}

var (
	version   atomic.Int32
	cancelled atomic.Int32
)

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// handler is what a tool without arguments does.
type handler func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)

func addTool(server *mcp.Server, name string, do handler) {
	mcp.AddTool(server, &mcp.Tool{Name: name}, func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		result, err := do(ctx, req)
		return result, nil, err
	})
}

func addPlainTools(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, total, error) {
		return nil, total{in.A + in.B}, nil
	})
	addTool(server, "count", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for step := 1; step <= 3; step++ {
			if token := req.Params.GetProgressToken(); token != nil {
				progress := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Total: 3, Message: fmt.Sprintf("step %d", step)}
				if err := req.Session.NotifyProgress(ctx, progress); err != nil {
					return nil, err
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
		return said("counted"), nil
	})
	addTool(server, "chat", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "debug", Data: "quiet"})
		req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "error", Logger: "chat", Data: map[string]bool{"loud": true}})
		return said("chatted"), nil
	})
	addTool(server, "wait", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		cancelled.Add(1)
		return nil, ctx.Err()
	})
	addTool(server, "cancelled", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said(fmt.Sprint(cancelled.Load())), nil
	})
	addTool(server, "era", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if _, modern := req.Params.Meta["io.modelcontextprotocol/protocolVersion"]; modern {
			return said("modern"), nil
		}
		return said("legacy"), nil
	})
	addTool(server, "exit", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(7)
		return nil, nil
	})
	addTool(server, "change", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		version.Add(1)
		server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "memo://a"})
		addTool(server, "late", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return said("late"), nil })
		return said("changed"), nil
	})
}

// ask answers with a question first, and with what became of the answer then.
func ask(question mcp.InputRequest, answered func(mcp.InputResponse) string) handler {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer, ok := req.Params.InputResponses["question"]; ok {
			return said(answered(answer)), nil
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"question": question}}, nil
	}
}

func addAskingTools(server *mcp.Server) {
	person := map[string]any{
		"type":       "object",
		"properties": map[string]any{"name": map[string]any{"type": "string"}, "age": map[string]any{"type": "integer"}},
		"required":   []string{"name"},
	}
	addTool(server, "greet", ask(&mcp.ElicitParams{Mode: "form", Message: "Who are you?", RequestedSchema: person}, func(answer mcp.InputResponse) string {
		content := answer.(*mcp.ElicitResult).Content
		return fmt.Sprintf("Hello %v, %v", content["name"], content["age"])
	}))
	prompt := &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Say hi"}}}}
	addTool(server, "think", ask(prompt, func(answer mcp.InputResponse) string {
		if plain, ok := answer.(*mcp.CreateMessageResult); ok {
			return plain.Content.(*mcp.TextContent).Text
		}
		return answer.(*mcp.CreateMessageWithToolsResult).Content[0].(*mcp.TextContent).Text
	}))
	addTool(server, "where", ask(&mcp.ListRootsParams{}, func(answer mcp.InputResponse) string {
		var uris []string
		for _, root := range answer.(*mcp.ListRootsResult).Roots {
			uris = append(uris, root.URI)
		}
		return strings.Join(uris, ",")
	}))
}

func addOffers(server *mcp.Server) {
	server.AddResource(&mcp.Resource{URI: "memo://logo", Name: "logo", MIMEType: "image/png"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "image/png", Blob: []byte{1, 2, 3}}}}, nil
	})
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "memo://{name}", Name: "memo", MIMEType: "text/plain"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text := fmt.Sprintf("%s v%d", strings.TrimPrefix(req.Params.URI, "memo://"), version.Load())
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}}, nil
	})
	arguments := []*mcp.PromptArgument{{Name: "code", Required: true}, {Name: "language"}}
	server.AddPrompt(&mcp.Prompt{Name: "review", Arguments: arguments}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := &mcp.TextContent{Text: "Review " + req.Params.Arguments["code"]}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text}}}, nil
	})
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	choices := []string{"typescript", "rust"}
	if req.Params.Argument.Name == "name" {
		choices = []string{"alpha", "beta"}
	} else if req.Params.Context != nil && req.Params.Context.Arguments["code"] != "" {
		choices[1] = req.Params.Context.Arguments["code"]
	}
	values := []string{}
	for _, choice := range choices {
		if strings.HasPrefix(choice, req.Params.Argument.Value) {
			values = append(values, choice)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

func main() {
	stdio := flag.Bool("stdio", false, "serve over stdio")
	port := flag.Int("port", 0, "the port to serve at; 0 for any that is free")
	flag.Parse()
	version.Store(1)
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions:       "Made for other clients.",
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	addPlainTools(server)
	addAskingTools(server)
	addOffers(server)
	if *stdio {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		log.Fatal(err)
	}
	get := func(*http.Request) *mcp.Server { return server }
	http.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	http.Handle("/stateless", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}))
	http.Handle("/sse", mcp.NewSSEHandler(get, nil))
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
