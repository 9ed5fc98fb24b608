/** A minimal client of TypeScript's language server, for the hovers of an editor. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../../../tools/docs/kit/pages.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: { readonly contents?: { readonly value: string } } | null
}

const markdown = { textDocument: { hover: { contentFormat: ["markdown"] } } }

/** `place`: a text in the file, with the pointer at its end. */
export const openHovers = async (file: string) => {
  const server = spawn(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--lsp", "--stdio"])
  const waiting = new Map<number, (message: Message) => void>()
  let received = Buffer.alloc(0)
  let lastId = 0
  const send = (message: object) => {
    const json = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)
  }
  const ask = (method: string, params: object) =>
    new Promise<Message>((resolve) => {
      lastId += 1
      waiting.set(lastId, resolve)
      send({ id: lastId, method, params })
    })
  const take = (message: Message) => {
    if (message.id === undefined) return
    if (message.method === undefined) waiting.get(message.id)?.(message)
    else send({ id: message.id, result: null })
  }
  server.stdout.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const head = received.indexOf("\r\n\r\n")
      if (head < 0) return
      const end = head + 4 + Number(/Content-Length: (\d+)/.exec(received.subarray(0, head).toString())?.[1])
      if (received.length < end) return
      const json = received.subarray(head + 4, end).toString()
      received = received.subarray(end)
      take(JSON.parse(json))
    }
  })
  const uri = pathToFileURL(file).href
  const text = readFileSync(file, "utf8")
  await ask("initialize", { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities: markdown })
  send({ method: "initialized", params: {} })
  send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "typescript", version: 1, text } }
  })
  return {
    at: async (place: string): Promise<string> => {
      const before = text.slice(0, text.indexOf(place) + place.length).split("\n")
      const position = { line: before.length - 1, character: (before.at(-1) ?? "").length - 1 }
      const { result } = await ask("textDocument/hover", { textDocument: { uri }, position })
      return (result?.contents?.value ?? "nothing")
        .replaceAll(/```(?:typescript)?/g, "")
        .trim()
        .replaceAll(/\n+/g, "\n")
    },
    close: () => server.kill()
  }
}
