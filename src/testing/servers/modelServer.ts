/** A scripted model server, as tests see it. Types alone: the declarations of the kit name nothing of Node. */
import type { ModelRequest, RequestKind } from "./request.ts"

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
