/**
 * A collector of OpenTelemetry data on loopback: it keeps what is sent to `/v1/traces`, `/v1/metrics` and `/v1/logs` as
 * OTLP/HTTP, JSON or protobuf. With a behaviour of its own it answers as bad collectors do.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { gunzipSync } from "node:zlib"
import { type ReadLog, type ReadMetric, type ReadSpan, readerFor } from "./read.ts"

export interface CollectedRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Uncompressed. */
  readonly body: Buffer
}

/** Answers a request, or does not. */
export type Behaviour = (response: ServerResponse, request: CollectedRequest) => void

const accept: Behaviour = (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}")

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly requests: ReadonlyArray<CollectedRequest>
  readonly spans: () => ReadonlyArray<ReadSpan>
  readonly metrics: () => ReadonlyArray<ReadMetric>
  readonly logs: () => ReadonlyArray<ReadLog>
  /** All bodies as text, in which a planted text would be found: strings of protobuf are plain UTF-8. */
  readonly text: () => string
  /** Resolves when the condition holds, which is asked after each request. */
  readonly until: (holds: () => boolean) => Promise<void>
  readonly close: () => Promise<void>
}

export const startCollector = async (behave: Behaviour = accept): Promise<Collector> => {
  const requests: Array<CollectedRequest> = []
  const waiting = new Set<() => void>()
  const server = createServer((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const raw = Buffer.concat(chunks)
      const body = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw
      const request = { method: incoming.method ?? "", path: incoming.url ?? "", headers: incoming.headers, body }
      requests.push(request)
      behave(response, request)
      for (const look of waiting) look()
    })
  })
  server.on("clientError", (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no address")
  const bodiesOf = (signal: "traces" | "metrics" | "logs") =>
    requests.flatMap(({ path, headers, body }) =>
      path.split("?")[0]?.endsWith(`/v1/${signal}`) === true
        ? [{ reader: readerFor(headers["content-type"] ?? ""), body }]
        : []
    )
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    spans: () => bodiesOf("traces").flatMap(({ reader, body }) => reader.traces(body)),
    metrics: () => bodiesOf("metrics").flatMap(({ reader, body }) => reader.metrics(body)),
    logs: () => bodiesOf("logs").flatMap(({ reader, body }) => reader.logs(body)),
    text: () => requests.map(({ body }) => body.toString("utf8")).join("\n"),
    until: (holds) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    close,
    [Symbol.asyncDispose]: close
  }
}
