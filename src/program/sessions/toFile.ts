/** Writes a text into a new file that only its owner can read. A file that is there is replaced only if it may be. */
import { randomBytes } from "node:crypto"
import { link, open, rename, unlink } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Stream } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"

const problemOf = (cause: unknown): string => {
  const code = codeOf(cause)
  if (code === "EEXIST") return "exists; --force replaces it"
  return `cannot be written: ${code === undefined ? "the system refuses it" : explain(code)}`
}

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: problemOf })

/** Whole, or not at all. Fails with what is wrong with the file, or as the text does. */
export const writeToFile = <E, R>(text: Stream.Stream<string, E, R>, file: string, force: boolean) =>
  Effect.gen(function* () {
    const target = resolve(file)
    const temporary = join(dirname(target), `.reins-${randomBytes(6).toString("hex")}.tmp`)
    const handle = yield* Effect.acquireRelease(
      attempt(() => open(temporary, "wx", 0o600)),
      (opened) =>
        Effect.promise(async () => {
          await opened.close()
          await unlink(temporary).catch(() => {})
        })
    )
    yield* Stream.runForEach(text, (part) => attempt(() => handle.appendFile(part)))
    yield* attempt(() => handle.sync())
    yield* attempt(() => (force ? rename(temporary, target) : link(temporary, target)))
  }).pipe(Effect.scoped)
