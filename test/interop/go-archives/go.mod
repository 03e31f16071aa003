module sealwright.example/archives

go 1.25.0

require software.sslmate.com/src/go-pkcs12 v0.7.4

require golang.org/x/crypto v0.11.0 // indirect
