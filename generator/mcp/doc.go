// Package mcp is the door for agents: a server of the Model Context Protocol
// (https://modelcontextprotocol.io), over standard input and output or over
// HTTP.
//
// The operations of package ops are its tools, and those of package edit are
// one more, which works on copies that the server keeps. An agent pays for
// every description in every turn, and for every answer: the tools are few,
// their schemas say what is needed and no more, and an answer is a short text.
// With full it is the JSON that the other doors give, byte for byte.
//
// A model is named by one parameter: of is the id of a template, a file of the
// folder that the server was given, or a copy. What ops reads is read too.
//
// Files are read and written in that folder alone, through an os.Root, so that
// no path and no link leads out of it; written only where the server may, as a
// whole or not at all.
package mcp
