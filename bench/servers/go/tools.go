package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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

type size struct {
	Bytes int `json:"bytes"`
}

type measured struct {
	Text string `json:"text"`
}

type steps struct {
	Count int `json:"count"`
}

type search struct {
	Query string   `json:"query"`
	Limit int      `json:"limit,omitempty"`
	Exact bool     `json:"exact,omitempty"`
	Order string   `json:"order,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

var form = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)

var fillerInput = json.RawMessage(`{
  "type": "object",
  "properties": {
    "query": { "type": "string", "description": "What to look for" },
    "limit": { "type": "integer", "description": "The most results that are wanted", "minimum": 1, "maximum": 100 },
    "exact": { "type": "boolean", "description": "Whether the whole word has to match" },
    "order": { "type": "string", "enum": ["name", "date", "size"], "description": "How the results are sorted" },
    "tags": { "type": "array", "items": { "type": "string" }, "description": "Tags that a result has to have" }
  },
  "required": ["query"]
}`)

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// add registers a tool that answers with a text.
func add[In any](server *mcp.Server, tool *mcp.Tool, do func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, error)) {
	mcp.AddTool(server, tool, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		result, err := do(ctx, req, in)
		return result, nil, err
	})
}

func progress(ctx context.Context, req *mcp.CallToolRequest, in steps) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for step := 1; token != nil && step <= in.Count; step++ {
		params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Total: float64(in.Count)}
		if err := req.Session.NotifyProgress(ctx, params); err != nil {
			return nil, err
		}
	}
	return said("done"), nil
}

// ask answers with a question first, and with the name then.
func ask(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, error) {
	if answer, ok := req.Params.InputResponses["who"]; ok {
		return said(fmt.Sprintf("Hello, %v", answer.(*mcp.ElicitResult).Content["name"])), nil
	}
	question := &mcp.ElicitParams{Mode: "form", Message: "What is your name?", RequestedSchema: form}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": question}}, nil
}

func addTools(server *mcp.Server, tools int) {
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds two numbers"}, func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, total, error) {
		return nil, total{in.A + in.B}, nil
	})
	add(server, &mcp.Tool{Name: "blob", Description: "Gives a text of that many bytes"}, func(_ context.Context, _ *mcp.CallToolRequest, in size) (*mcp.CallToolResult, error) {
		return said(strings.Repeat("x", in.Bytes)), nil
	})
	add(server, &mcp.Tool{Name: "measure", Description: "Returns the length of a text"}, func(_ context.Context, _ *mcp.CallToolRequest, in measured) (*mcp.CallToolResult, error) {
		return said(fmt.Sprint(len(in.Text))), nil
	})
	add(server, &mcp.Tool{Name: "progress", Description: "Reports progress that often"}, progress)
	add(server, &mcp.Tool{Name: "ask", Description: "Asks for a name once"}, ask)
	for number := 1; number < tools; number++ {
		name := fmt.Sprintf("tool_%d", number)
		description := fmt.Sprintf("Searches the collection %s and gives back what it finds there", name)
		add(server, &mcp.Tool{Name: name, Description: description, InputSchema: fillerInput}, func(_ context.Context, _ *mcp.CallToolRequest, in search) (*mcp.CallToolResult, error) {
			return said(in.Query), nil
		})
	}
}
