// The words in what a CLI says of itself: flags in a help page, features in a list, methods and fields in JSON Schemas.
// Pure.
import { isRecord } from "./paths.ts"

const sorted = (words: Iterable<string>): ReadonlyArray<string> => [...new Set(words)].sort()

/**
 * Options of the lines that begin with one; those that a description mentions are left out. Negations stand for
 * themselves.
 */
export const flagsIn = (help: string): ReadonlyArray<string> => {
  const heads = help.split("\n").flatMap((line) => {
    const head = /^\s{1,12}(-[\w-]+(?:[ =][<[][^>\]]*[>\]](?:\.\.\.)?)?(?:, *-[\w-]+)*)/.exec(line)?.[1]
    return head === undefined ? [] : [head]
  })
  return sorted(heads.flatMap((head) => head.match(/(?<![\w-])-{1,2}[A-Za-z][\w-]*/g) ?? []))
}

/** `name stage default`, as Codex lists them. */
export const featuresIn = (list: string): ReadonlyArray<string> =>
  sorted(
    list.split("\n").flatMap((line) => {
      const [name, ...rest] = line.trim().split(/\s{2,}/)
      return name !== undefined && rest.length > 0 && /^\w+$/.test(name) ? [[name, ...rest].join(" ")] : []
    })
  )

const lists = ["ClientRequest", "ClientNotification", "ServerRequest", "ServerNotification"]

const methodsIn = (schema: unknown): ReadonlyArray<string> => {
  const variants = isRecord(schema) && Array.isArray(schema["oneOf"]) ? schema["oneOf"] : []
  return variants.flatMap((variant: unknown) => {
    const properties = isRecord(variant) ? variant["properties"] : undefined
    const method = isRecord(properties) ? properties["method"] : undefined
    return isRecord(method) && Array.isArray(method["enum"]) ? method["enum"].map(String) : []
  })
}

const fieldsIn = (schema: unknown): ReadonlyArray<string> => {
  const definitions = isRecord(schema) ? schema["definitions"] : undefined
  if (!isRecord(definitions)) return []
  return Object.entries(definitions).flatMap(([name, definition]) => {
    const properties = isRecord(definition) ? definition["properties"] : undefined
    return isRecord(properties) ? Object.keys(properties).map((field) => `${name}.${field}`) : []
  })
}

/** `read` gives a file of what Codex generates; each list of messages has the definitions of all that they carry. */
export const protocolWordsIn = (read: (name: string) => unknown): ReadonlyArray<string> =>
  sorted(
    lists.flatMap((list) => {
      const schema = read(`${list}.json`)
      return [...methodsIn(schema).map((method) => `${list} ${method}`), ...fieldsIn(schema)]
    })
  )
