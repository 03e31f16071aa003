// A witness of logs (C2SP tlog-witness) with golang.org/x/mod/sumdb and filippo.io/torchwood: the
// libraries verify the submissions and sign; this file adds only HTTP and memory.
// Usage: go-witness NAME LOG-VKEY
// Prints the verifier key and the port. POST /verify counts the valid signatures of a checkpoint by the log and the
// witness.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

type witness struct {
	mutex  sync.Mutex
	size   int64
	hash   tlog.Hash
	log    note.Verifier
	signer *torchwood.CosignatureSigner
}

func (w *witness) add(body []byte) (int, string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	head, signed, ok := bytes.Cut(body, []byte("\n\n"))
	if !ok {
		return 400, "no checkpoint"
	}
	lines := strings.Split(string(head), "\n")
	digits, ok := strings.CutPrefix(lines[0], "old ")
	old, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil {
		return 400, "no old size"
	}
	var proof tlog.TreeProof
	for _, line := range lines[1:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return 400, err.Error()
		}
		proof = append(proof, hash)
	}
	opened, err := note.Open(signed, note.VerifierList(w.log))
	if err != nil {
		return 403, err.Error()
	}
	checkpoint, err := torchwood.ParseCheckpoint(opened.Text)
	if err != nil || checkpoint.Origin != w.log.Name() || old > checkpoint.N {
		return 400, "bad checkpoint"
	}
	if old != w.size {
		return 409, fmt.Sprintf("%d\n", w.size)
	}
	if old > 0 {
		if err := tlog.CheckTree(proof, checkpoint.N, checkpoint.Hash, old, w.hash); err != nil {
			return 422, err.Error()
		}
	} else if len(proof) > 0 {
		return 422, "a proof from the empty tree"
	}
	w.size, w.hash = checkpoint.N, checkpoint.Hash
	cosigned, err := note.Sign(&note.Note{Text: opened.Text}, w.signer)
	must(err)
	return 200, string(cosigned[bytes.LastIndex(cosigned, []byte("\n\n"))+2:])
}

func main() {
	verifier, err := note.NewVerifier(os.Args[2])
	must(err)
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	signer, err := torchwood.NewCosignatureSigner(os.Args[1], key)
	must(err)
	w := &witness{log: verifier, signer: signer}
	http.HandleFunc("POST /add-checkpoint", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		must(err)
		status, text := w.add(body)
		response.WriteHeader(status)
		io.WriteString(response, text)
	})
	http.HandleFunc("POST /verify", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		must(err)
		opened, err := note.Open(body, note.VerifierList(verifier, signer.Verifier()))
		if err != nil {
			fmt.Fprint(response, err)
			return
		}
		fmt.Fprintf(response, "%d signatures, %d unknown", len(opened.Sigs), len(opened.UnverifiedSigs))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	fmt.Println(signer.Verifier(), listener.Addr().(*net.TCPAddr).Port)
	must(http.Serve(listener, nil))
}
