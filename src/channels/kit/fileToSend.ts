/** A file of this machine that goes with a message; fails if it cannot. */
import { openAsBlob } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { Effect } from "effect"
import { SendError } from "../../bridge/messages/SendError.ts"

export interface FileToSend {
  readonly name: string
  readonly bytes: number
  /** Its content is read while it is sent. */
  readonly content: (type?: string) => Effect.Effect<Blob, SendError>
}

const refusal = (description: string) => new SendError({ reason: { _tag: "Refused", description } })

/** `service`: for people, such as `Telegram`. */
export const fileToSend = Effect.fnUntraced(function* (
  path: string,
  { service, mostBytes }: { readonly service: string; readonly mostBytes: number }
): Effect.fn.Return<FileToSend, SendError> {
  const found = yield* Effect.tryPromise({ try: () => stat(path), catch: () => refusal("the file is missing") })
  if (!found.isFile()) return yield* refusal("it is not a file")
  if (found.size === 0) return yield* refusal("the file is empty")
  if (found.size > mostBytes) return yield* refusal(`the file is larger than ${service} takes`)
  return {
    name: basename(path).toWellFormed(),
    bytes: found.size,
    content: (type) =>
      Effect.tryPromise({
        try: () => openAsBlob(path, type === undefined ? {} : { type }),
        catch: () => refusal("the file cannot be read")
      })
  }
})
