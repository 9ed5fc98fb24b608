/** A file with a secret: read if its user alone can read it, else refused by name, and its content is in no message. */
import { chmodSync, chownSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { storeOptions } from "../../../src/api/config/secrets.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const secret = "postgres://user:hidden@host/db"
const isRoot = process.getuid?.() === 0

const read = Effect.fnUntraced(function* (text: string, mode: number, owner?: number) {
  const file = join(yield* makeDirectory, "url")
  writeFileSync(file, text)
  chmodSync(file, mode)
  if (owner !== undefined) chownSync(file, owner, owner)
  const options = storeOptions({ agents: {}, directories: {}, store: { database: { file } } })
  return yield* Effect.match(options, { onFailure: ({ message }) => message, onSuccess: (found) => Object.keys(found) })
})

describe("a file with a secret", () => {
  it.effect("is read if its user alone can read it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(`${secret}\n`, 0o600), ["postgres"])
    })
  )

  it.effect.each([
    ["that others can read", secret, 0o644, undefined, /can be read by others: chmod 600 "/],
    ["that others can write", secret, 0o620, undefined, /can be read by others: chmod 600 "/],
    ["that is too large", secret + " ".repeat(16 * 1024), 0o600, undefined, /is not a regular file of 16 KiB at most/],
    ["without a URL", "hidden", 0o600, undefined, /has no URL such as postgres:/],
    ...(isRoot ? ([["of another user", secret, 0o600, 12_345, /belongs to the user 12345/]] as const) : [])
  ] as const)("%s is refused", ([_, text, mode, owner, problem]) =>
    Effect.gen(function* () {
      const message = yield* read(text, mode, owner)
      assert.match(String(message), problem)
      assert.notInclude(String(message), "hidden")
    })
  )
})
