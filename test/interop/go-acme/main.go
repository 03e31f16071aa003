// Issues, renews and revokes certificates with golang.org/x/crypto/acme and autocert, and prints a line for each step that succeeded.
// Arguments: `open` or `bound`, the directory URL, and the ports on which http-01 and tls-alpn-01 are validated. For `bound`, where accounts need a binding, also its ID and its key (base64url).
package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

var ctx, _ = context.WithTimeout(context.Background(), 50*time.Second)

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
	fmt.Println(what)
}
func must[T any](what string) func(T, error) T {
	return func(value T, err error) T {
		check(what, err)
		return value
	}
}
func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

// Completes every authorization of an order with http-01.
func prove(client *acme.Client, order *acme.Order, port string) {
	for _, url := range order.AuthzURLs {
		authz := must[*acme.Authorization]("read an authorization")(client.GetAuthorization(ctx, url))
		for _, challenge := range authz.Challenges {
			if challenge.Type != "http-01" {
				continue
			}
			text := must[string]("make an answer")(client.HTTP01ChallengeResponse(challenge.Token))
			listener := must[net.Listener]("listen for http-01")(net.Listen("tcp", "127.0.0.1:"+port))
			go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == client.HTTP01ChallengePath(challenge.Token) {
					w.Write([]byte(text))
				}
			}))
			must[*acme.Challenge]("accept a challenge")(client.Accept(ctx, challenge))
			must[*acme.Authorization]("wait for an authorization")(client.WaitAuthorization(ctx, url))
			listener.Close()
		}
	}
}

// Issues a certificate for names and addresses.
func issue(client *acme.Client, port string, ids []acme.AuthzID) (*ecdsa.PrivateKey, [][]byte) {
	order := must[*acme.Order]("order")(client.AuthorizeOrder(ctx, ids))
	prove(client, order, port)
	order = must[*acme.Order]("wait for the order")(client.WaitOrder(ctx, order.URI))
	request := x509.CertificateRequest{Subject: pkix.Name{}}
	for _, id := range ids {
		if id.Type == "ip" {
			request.IPAddresses = append(request.IPAddresses, net.ParseIP(id.Value))
		} else {
			request.DNSNames = append(request.DNSNames, id.Value)
		}
	}
	key := newKey()
	csr := must[[]byte]("make a CSR")(x509.CreateCertificateRequest(rand.Reader, &request, key))
	chain, url, err := client.CreateOrderCert(ctx, order.FinalizeURL, csr, true)
	check("finalize", err)
	again := must[[][]byte]("download again")(client.FetchCert(ctx, url, true))
	if !bytes.Equal(again[0], chain[0]) {
		check("compare", errors.New("another certificate was downloaded"))
	}
	leaf := must[*x509.Certificate]("read the certificate")(x509.ParseCertificate(chain[0]))
	for _, id := range ids {
		check("verify "+id.Value, leaf.VerifyHostname(id.Value))
	}
	return key, chain
}

func account(key crypto.Signer, directory string) *acme.Client {
	return &acme.Client{Key: key, DirectoryURL: directory}
}

func plain(directory, port string) {
	first := newKey()
	client := account(first, directory)
	made := must[*acme.Account]("register")(client.Register(ctx, &acme.Account{Contact: []string{"mailto:go@acme.test"}}, acme.AcceptTOS))
	_, err := client.Register(ctx, &acme.Account{}, acme.AcceptTOS)
	if !errors.Is(err, acme.ErrAccountAlreadyExists) {
		check("register twice", fmt.Errorf("got %v", err))
	}
	found := must[*acme.Account]("find the account")(client.GetReg(ctx, ""))
	if found.URI != made.URI {
		check("find the account", errors.New("another one was found"))
	}
	_, chain := issue(client, port, append(acme.DomainIDs("go.acme.test"), acme.IPIDs("127.0.0.1")...))
	issue(client, port, acme.DomainIDs("go.acme.test"))
	check("revoke by the account", client.RevokeCert(ctx, nil, chain[0], acme.CRLReasonSuperseded))
	err = client.RevokeCert(ctx, nil, chain[0], acme.CRLReasonSuperseded)
	check("revoke twice", err)
	key, other := issue(client, port, acme.DomainIDs("key.acme.test"))
	check("revoke by the certificate's key", client.RevokeCert(ctx, key, other[0], acme.CRLReasonKeyCompromise))
	next, err := rsa.GenerateKey(rand.Reader, 2048)
	check("make an RSA key", err)
	check("change the key", client.AccountKeyRollover(ctx, next))
	issue(client, port, acme.DomainIDs("rsa.acme.test"))
	must[*acme.Account]("change the contact")(client.UpdateReg(ctx, &acme.Account{Contact: []string{"mailto:other@acme.test"}}))
	check("deactivate the account", client.DeactivateReg(ctx))
	_, err = client.AuthorizeOrder(ctx, acme.DomainIDs("go.acme.test"))
	var problem *acme.Error
	if !errors.As(err, &problem) || problem.StatusCode != 401 || !strings.HasSuffix(problem.ProblemType, ":unauthorized") {
		check("order with it", fmt.Errorf("got %v", err))
	}
}

func bound(directory, port, id, key string) {
	client := account(newKey(), directory)
	_, err := client.Register(ctx, &acme.Account{}, acme.AcceptTOS)
	var problem *acme.Error
	if !errors.As(err, &problem) || !strings.HasSuffix(problem.ProblemType, ":externalAccountRequired") {
		check("register without a binding", fmt.Errorf("got %v", err))
	}
	mac := must[[]byte]("read the key of the binding")(base64.RawURLEncoding.DecodeString(key))
	binding := acme.ExternalAccountBinding{KID: id, Key: mac}
	must[*acme.Account]("register with a binding")(client.Register(ctx, &acme.Account{ExternalAccountBinding: &binding}, acme.AcceptTOS))
	issue(client, port, acme.DomainIDs("bound.acme.test"))
}

// A server that obtains its certificate on the first request, by tls-alpn-01 on the same port.
func automatic(directory, name, port string) {
	manager := &autocert.Manager{
		Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(name),
		Client: &acme.Client{DirectoryURL: directory},
	}
	listener := must[net.Listener]("listen for TLS")(tls.Listen("tcp", "127.0.0.1:"+port, manager.TLSConfig()))
	defer listener.Close()
	go http.Serve(listener, http.NotFoundHandler())
	connection := must[*tls.Conn]("handshake with autocert's server")(tls.Dial("tcp", listener.Addr().String(), &tls.Config{ServerName: name, InsecureSkipVerify: true}))
	check("autocert's certificate", connection.ConnectionState().PeerCertificates[0].VerifyHostname(name))
	connection.Close()
}

func main() {
	directory, httpPort, tlsPort := os.Args[2], os.Args[3], os.Args[4]
	if os.Args[1] == "bound" {
		bound(directory, httpPort, os.Args[5], os.Args[6])
	} else {
		plain(directory, httpPort)
		automatic(directory, "auto.acme.test", tlsPort)
	}
	fmt.Println("done")
}
