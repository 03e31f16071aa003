module sealwright.example/est

go 1.25.0

require github.com/globalsign/est v1.0.6

require (
	github.com/go-chi/chi v4.1.2+incompatible // indirect
	github.com/google/go-tpm v0.3.2 // indirect
	go.mozilla.org/pkcs7 v0.0.0-20200128120323-432b2356ecb1 // indirect
	golang.org/x/sys v0.0.0-20210220050731-9a76102bfb43 // indirect
	golang.org/x/time v0.0.0-20210220033141-f8bda1e9f3ba // indirect
)
