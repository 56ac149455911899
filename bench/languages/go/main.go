// The confirm flow of bench/cases with the Go SDK, over HTTP.
//
// The SDK carries the state as the tool returns it, so the tool seals it itself: AES-256-GCM, bound
// to the tool, its arguments and an expiry, as mcp-resolve does.
//
// Prints its URL, and its CPU time in milliseconds for each line of stdin. Ends with stdin.
package main

import (
	"bufio"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type arguments struct {
	Path     string  `json:"path" jsonschema:"The folder, as an absolute path."`
	Reason   string  `json:"reason" jsonschema:"Why it is deleted."`
	Note     *string `json:"note,omitempty" jsonschema:"For the log."`
	KeepDays int     `json:"keepDays,omitempty" jsonschema:"How long it can be restored."`
}

type state struct {
	Files   int   `json:"files"`
	Expires int64 `json:"expires"`
}

var sealer = newSealer("a key of at least 32 bytes, for benchmarks only")

func newSealer(secret string) cipher.AEAD {
	key := sha256.Sum256([]byte(secret))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		log.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		log.Fatal(err)
	}
	return aead
}

// binding returns the data that the sealed state is valid for: the tool and its arguments.
func binding(args arguments) ([]byte, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	return append([]byte("delete_folder "), digest[:]...), nil
}

func seal(files int, args arguments) (string, error) {
	bound, err := binding(args)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(state{files, time.Now().Add(10 * time.Minute).Unix()})
	if err != nil {
		return "", err
	}
	nonce := make([]byte, sealer.NonceSize())
	rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(sealer.Seal(nonce, nonce, plain, bound)), nil
}

func open(token string, args arguments) (state, error) {
	var opened state
	bound, err := binding(args)
	if err != nil {
		return opened, err
	}
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(sealed) < sealer.NonceSize() {
		return opened, errors.New("the state is malformed")
	}
	nonce, text := sealed[:sealer.NonceSize()], sealed[sealer.NonceSize():]
	plain, err := sealer.Open(nil, nonce, text, bound)
	if err != nil {
		return opened, err
	}
	if err := json.Unmarshal(plain, &opened); err != nil {
		return opened, err
	}
	if opened.Expires < time.Now().Unix() {
		return opened, errors.New("the state has expired")
	}
	return opened, nil
}

var form = json.RawMessage(
	`{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`)

func deleteFolder(
	_ context.Context, request *mcp.CallToolRequest, args arguments,
) (*mcp.CallToolResult, any, error) {
	answer, ok := request.Params.InputResponses["sure"].(*mcp.ElicitResult)
	if !ok {
		return ask(args)
	}
	opened, err := open(request.Params.RequestState, args)
	if err != nil {
		return nil, nil, err
	}
	text := "Kept."
	if confirmed, _ := answer.Content["confirm"].(bool); answer.Action == "accept" && confirmed {
		text = fmt.Sprintf("Deleted %s with %d files.", args.Path, opened.Files)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

func ask(args arguments) (*mcp.CallToolResult, any, error) {
	files := len(args.Path) % 7
	token, err := seal(files, args)
	if err != nil {
		return nil, nil, err
	}
	question := &mcp.ElicitParams{
		Mode:            "form",
		Message:         fmt.Sprintf("Delete %s with %d files?", args.Path, files),
		RequestedSchema: form,
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{"sure": question},
		RequestState:  token,
	}, nil, nil
}

func report() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			log.Fatal(err)
		}
		fmt.Println(float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6)
	}
	os.Exit(0)
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "folders", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "delete_folder"}, deleteFolder)
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Listening on http://%s/mcp\n", listener.Addr())
	go report()
	log.Fatal(http.Serve(listener, handler))
}
