/** A scripted model server, as tests see it. Types alone: the declarations of the kit name nothing of Node. */
import type { ModelRequest, RequestKind } from "./request.ts"

// Small things that all protocols print alike: pieces of a text, made-up ids, server-sent events.

/** The deltas of a text that the script does not cut: about fifty pieces at most, of eight characters at least; never inside a character. */
export const inPieces = (words: string): ReadonlyArray<string> => {
  const characters = Array.from(words)
  const size = Math.max(8, Math.ceil(characters.length / 50))
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""))
}

/** For ids that are made up: of one length. */
export const padded = (serial: number): string => String(serial).padStart(4, "0")

/** One server-sent event. */
export const sse = (data: unknown, type?: string): string =>
  `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`

/** A model that answers by a script. Closed by `await using`; what is still open is dropped then. */
export interface ModelServer<Body = unknown> extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  /** Requests for a model's answer, in order of arrival. */
  readonly requests: ReadonlyArray<ModelRequest<Body>>
  /** Everything else that was asked, as `METHOD /path`. */
  readonly others: ReadonlyArray<string>
  /** The requests of one kind. */
  readonly of: (kind: RequestKind) => ReadonlyArray<ModelRequest<Body>>
  /** Resolves with the nth (from 1) request of a kind (default `main`), at once if it is there. Waits for ever. */
  readonly arrival: (nth: number, kind?: RequestKind) => Promise<ModelRequest<Body>>
}
