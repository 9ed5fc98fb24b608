/** Saves what an address gives to a file of this machine, up to a limit. The address can be a secret: no failure has it. */
import { createWriteStream } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, Predicate } from "effect"
import { SendError, type SendReason } from "../../bridge/messages/SendError.ts"
import { bounded } from "./call.ts"

export interface SaveFile {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly mostBytes: number
  /** Who is asked, for people, such as `Telegram`. */
  readonly service: string
  /** The meaning of an answer that is not the file. Default: none. */
  readonly refusal?: (response: Response) => SendReason | undefined
}

const failure = (reason: SendReason) => new SendError({ reason })
const gone = failure({ _tag: "Gone", what: "message" })
/** The file can be fetched again. */
const cut = failure({ _tag: "Unreachable" })
const noPlace = failure({ _tag: "Refused", description: "the file cannot be written" })

export const tooLarge = (service: string): SendError =>
  failure({ _tag: "Refused", description: `the file is larger than ${service} gives` })

const isOfDisk = (thrown: unknown) =>
  Predicate.hasProperty(thrown, "code") && /^(?:ENOSPC|EACCES|EROFS|ENOENT|EISDIR|EDQUOT)$/.test(String(thrown.code))

export const saveFile = (
  { url, headers = {}, mostBytes, service, refusal }: SaveFile,
  to: string
): Effect.Effect<void, SendError> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { headers, signal, redirect: "error" })
      const refused = refusal?.(response)
      if (refused !== undefined) throw failure(refused)
      if (response.status === 404) throw gone
      if (!response.ok || response.body === null) throw cut
      const chunks = bounded(response.body, mostBytes, tooLarge(service))
      await pipeline(Readable.from(chunks, { objectMode: false }), createWriteStream(to, { mode: 0o600 }), { signal })
    },
    catch: (thrown) => (thrown instanceof SendError ? thrown : isOfDisk(thrown) ? noPlace : cut)
  })
