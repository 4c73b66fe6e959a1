//go:build ignore

// Serve is a plain file server for a built site, on this machine only.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	dir := flag.String("dir", "public", "folder to serve")
	port := flag.Int("port", 8000, "port to listen on")
	flag.Parse()
	if _, err := os.Stat(*dir); err != nil {
		log.Fatalf("%v; run make site first", err)
	}
	address := fmt.Sprintf("localhost:%d", *port)
	log.Printf("serving %s on http://%s", *dir, address)
	log.Fatal(http.ListenAndServe(address, http.FileServer(http.Dir(*dir))))
}
