// A TLS server with Go's standard library: the first line on each connection states the negotiated parameters, then it echoes its input. Arguments: certificate, key, version or "", group or "", CA of client certificates or "".
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

var versions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}
var groups = map[string]tls.CurveID{"X25519": tls.X25519, "P-256": tls.CurveP256, "P-384": tls.CurveP384, "P-521": tls.CurveP521}

func main() {
	own, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	must(err)
	config := &tls.Config{Certificates: []tls.Certificate{own}, NextProtos: []string{"acme-tls/1"}}
	if version, is := versions[os.Args[3]]; is {
		config.MinVersion, config.MaxVersion = version, version
	}
	if group, is := groups[os.Args[4]]; is {
		config.CurvePreferences = []tls.CurveID{group}
	}
	if os.Args[5] != "" {
		pem, err := os.ReadFile(os.Args[5])
		must(err)
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.ClientCAs.AppendCertsFromPEM(pem)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	must(err)
	fmt.Println(listener.Addr().String())
	for {
		connection, err := listener.Accept()
		must(err)
		go serve(connection.(*tls.Conn))
	}
}

func serve(connection *tls.Conn) {
	defer connection.Close()
	if err := connection.Handshake(); err != nil {
		return
	}
	state := connection.ConnectionState()
	client := "nobody"
	if len(state.PeerCertificates) > 0 {
		client = state.PeerCertificates[0].Subject.CommonName
	}
	fmt.Fprintf(connection, "%s %s %s %q\n", tls.CipherSuiteName(state.CipherSuite), state.NegotiatedProtocol, client, state.ServerName)
	io.Copy(connection, connection)
}
