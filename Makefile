# Every target sets up what it needs through the Go toolchain; `make help` lists them.

OUT      ?= public
PORT     ?= 8000
FUZZTIME ?= 10s
SIZES    ?= 100,1000,10000

# Diffs of each template in bench-site: with 8, the site of 10,000 has 6 GB.
RELATIVES ?= 8

.DEFAULT_GOAL := help
.PHONY: site serve workbench test pages verify bench bench-site bench-serve bench-api fuzz lint fmt clean help

site: workbench ## build the site into public/
	go run ./cmd/strata build --out $(OUT)

serve: workbench ## show the site on http://127.0.0.1:8000 while it is written
	go run ./cmd/strata serve --port $(PORT)

# Without inlining the program is a sixth smaller, and a tenth slower.
WASM = GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -gcflags=all=-l -ldflags='-s -w'

workbench: ## build what the page workbench.html runs, for the site to take along
	@mkdir -p themes/workbench/assets
	$(WASM) -o themes/workbench/assets/strata.wasm ./cmd/strata-wasm
	$(WASM) -o themes/workbench/assets/import.wasm ./cmd/import-wasm
	@cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" themes/workbench/assets/

test: ## run all tests
	go test -timeout 40m ./...

pages: ## check pages with axe-core and html-validate, which npm installs once outside the checkout
	.ci/pages/run

verify: ## check exported code with PyTorch, which is installed once outside the checkout
	.ci/verify/run

bench: ## run all benchmarks
	go test -run '^$$' -bench . -benchmem ./...

bench-site: ## build sites of 100, 1,000 and 10,000 templates, beside cp, the floor and Hugo
	@mkdir -p dist && go build -o dist/strata ./cmd/strata
	go run ./generator/internal/benchsite -strata dist/strata -sizes $(SIZES) -relatives $(RELATIVES)

bench-serve: ## measure from a saved file to its change being served, 200 edits of each kind
	go test -run '^$$' -bench Serve -benchtime 200x -timeout 30m ./generator/cli

bench-api: ## measure checks over HTTP: requests in a second, and the time for 99 of 100
	go test -run '^$$' -bench Check -benchtime 2000x ./generator/api

fuzz: ## run each fuzz target for FUZZTIME, 10s by default
	.ci/fuzz $(FUZZTIME)

lint: workbench ## check formatting, go vet, staticcheck, workflows and the WebAssembly build
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not formatted; run make fmt:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
	GOOS=js GOARCH=wasm go build ./generator/ops
	GOOS=js GOARCH=wasm go vet ./cmd/strata-wasm ./cmd/import-wasm

fmt: ## format all Go files
	gofmt -w .

clean: ## remove what the other targets wrote
	rm -rf $(OUT) dist .strata-cache themes/workbench/assets

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
