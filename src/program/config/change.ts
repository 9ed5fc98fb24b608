/** Values of `reins.toml`: how they are shown, and how one is changed. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect, Result } from "effect"
import * as Toml from "effect/encoding/Toml"
import { checkText, parseKey } from "../../api/config/check.ts"
import { type Path, pathText, set, unset, type Value, valueAt } from "../../api/config/edit.ts"
import { readText, writeText } from "../../api/config/file.ts"
import { readValue } from "../../api/config/forms.ts"
import { type Key, keyAt } from "../../api/config/keys.ts"
import { ConfigurationError } from "../../contract/ConfigurationError.ts"
import { untraced } from "../../contract/untraced.ts"
import { withLock } from "../../system/locks/fileLocks.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"

export { parseKey }

type Values = Readonly<Record<string, unknown>>
const failed = (file: string, problem: string) => new ConfigurationError({ file, problems: [{ problem }] })

export const readValues = Effect.fn(...untraced("Change.readValues"))(function* (file: string) {
  const parsed = Toml.parse((yield* readText(file)) ?? "")
  return Result.isSuccess(parsed) ? withoutSecrets(parsed.success) : yield* failed(file, "is not TOML")
})

const withoutSecrets = (values: Values, at: Path = []): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const path = [...at, name]
      if (isTable(value)) return [name, withoutSecrets(value, path)]
      return [name, keyAt(path)?.form.kind === "secret" ? "…" : value]
    })
  )

const isTable = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const leaves = (value: unknown, at: Path = []): ReadonlyArray<readonly [Path, unknown]> =>
  isTable(value) ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...at, name])) : [[at, value]]

/** An item of a list of tables: `{ name = "day", usd = 5 }`. */
const itemText = (value: unknown): string =>
  isTable(value)
    ? `{ ${Object.entries(value)
        .map(([name, inner]) => `${pathText([name])} = ${itemText(inner)}`)
        .join(", ")} }`
    : JSON.stringify(value)

const isOfTables = (value: unknown): value is ReadonlyArray<Values> => Array.isArray(value) && value.some(isTable)

const linesOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map((item) => (isTable(item) ? itemText(item) : String(item))) : [String(value)]

const valueInToml = (value: unknown) =>
  isOfTables(value) ? `[${value.map(itemText).join(", ")}]` : JSON.stringify(value)

export const valueLines = (values: Values, path: Path, json: boolean): ReadonlyArray<string> | undefined => {
  const value = valueAt(values, path)
  if (value === undefined) return undefined
  return json ? [JSON.stringify(value)] : linesOf(value)
}

/** As lines of TOML, or as one JSON object. */
export const allLines = (values: Values, json: boolean): ReadonlyArray<string> =>
  json ? [JSON.stringify(values)] : leaves(values).map(([path, value]) => `${pathText(path)} = ${valueInToml(value)}`)

export const readGiven = ({ key, path }: { readonly key: Key; readonly path: Path }, text: string) =>
  Result.mapError(readValue(key.form, text), (problem) => `${pathText(path)} ${problem}`)

/** Accepts unknown keys, which can be removed. */
export const parsePath = (name: string): Result.Result<Path, string> => {
  const known = parseKey(name)
  if (Result.isSuccess(known)) return Result.succeed(known.success.path)
  const parsed = name.length > 200 || /[\n\r]/.test(name) ? undefined : Toml.parse(`${name} = 0`)
  if (parsed === undefined || Result.isFailure(parsed)) return Result.fail(known.failure)
  const [found] = leaves(parsed.success)
  return found === undefined ? Result.fail(known.failure) : Result.succeed(found[0])
}

/** Serializes changes of the file; without a state directory, the later one wins. */
const oneByOne = <A, E>(file: string, work: Effect.Effect<A, E>) =>
  Effect.matchEffect(openStateDirectory("locks"), {
    onFailure: () => work,
    onSuccess: (directory) => {
      const name = createHash("sha256").update(file).digest("hex").slice(0, 32)
      return Effect.catchTag(
        withLock(join(directory, "locks", `configuration-${name}`), work),
        ["LockRefused", "LockTaken"],
        () => work
      )
    }
  })

/** Returns the other problems of a file that was already invalid. No change makes a valid file invalid. */
const changed = (file: string, change: (text: string) => Result.Result<string, string>, path: Path) =>
  oneByOne(
    file,
    Effect.gen(function* () {
      const text = (yield* readText(file)) ?? ""
      const after = yield* Effect.fromResult(Result.mapError(change(text), (problem) => failed(file, problem)))
      const problemsIn = (input: string) =>
        Result.match(checkText({ file, text: input, home: undefined }), {
          onSuccess: () => [],
          onFailure: (problems) => problems
        })
      const left = problemsIn(after)
      const own = problemsIn(text).length === 0 ? left : left.filter(({ key }) => key === pathText(path))
      if (own.length > 0) {
        // The lines are those of a text that is not written.
        const problems = own.map(({ problem }) => ({ problem: `is not changed: ${problem}` }))
        return yield* new ConfigurationError({ file, problems })
      }
      if (after !== text) yield* writeText(file, after)
      return left
    })
  )

export const setIn = (file: string, path: Path, value: Value) => changed(file, (text) => set(text, path, value), path)
export const unsetIn = (file: string, path: Path) => changed(file, (text) => unset(text, path), path)
