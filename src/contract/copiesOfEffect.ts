/** Copies of `effect` in one process: recognises the one that made a value. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { Redacted, Schema, SchemaIssue } from "effect"

/**
 * Functions that need the copy that made a value: a Schema or a `Redacted`; effects, layers and streams run in any
 * (4.0.6, 4.1.0). By name, so that a bundle contains only these of a module.
 */
export interface EffectCopy {
  readonly textOf: (wrapped: Redacted.Redacted<unknown>) => unknown
  readonly toCodecJson: typeof Schema.toCodecJson
  readonly toJsonSchemaDocument: typeof Schema.toJsonSchemaDocument
  readonly decodeUnknownResult: typeof Schema.decodeUnknownResult
  readonly formatIssues: typeof SchemaIssue.makeFormatterStandardSchemaV1
  /** The base class of the nodes of its schemas. */
  readonly node: NodeClass
}

type NodeClass = abstract new (...args: never) => object

const nodeClass = ({ ast }: Schema.Constraint): NodeClass => Object.getPrototypeOf(ast.constructor)

export const ownCopy: EffectCopy = {
  textOf: Redacted.value,
  toCodecJson: Schema.toCodecJson,
  toJsonSchemaDocument: Schema.toJsonSchemaDocument,
  decodeUnknownResult: Schema.decodeUnknownResult,
  formatIssues: SchemaIssue.makeFormatterStandardSchemaV1,
  node: nodeClass(Schema.String)
}

/** Loaded on demand: with a value of this copy, it is loaded already. Undefined if none is installed. */
export const installedCopy = (): EffectCopy | undefined => {
  try {
    const load = createRequire(import.meta.url)
    const own: typeof Schema = load("effect/Schema")
    return {
      textOf: load("effect/Redacted").value,
      toCodecJson: own.toCodecJson,
      toJsonSchemaDocument: own.toJsonSchemaDocument,
      decodeUnknownResult: own.decodeUnknownResult,
      formatIssues: load("effect/SchemaIssue").makeFormatterStandardSchemaV1,
      node: nodeClass(own.String)
    }
  } catch {
    return undefined
  }
}

/** The copy that made a schema; undefined for a copy that this package does not find. */
export const makerOf = ({ ast }: Schema.Constraint): EffectCopy | undefined => {
  if (ast instanceof ownCopy.node) return ownCopy
  const installed = installedCopy()
  return installed !== undefined && ast instanceof installed.node ? installed : undefined
}

const copyFoundFrom = (place: string | undefined): string | undefined => {
  try {
    const file = createRequire(place ?? "").resolve("effect/package.json")
    return `effect ${JSON.parse(readFileSync(file, "utf8")).version} in ${dirname(file)}`
  } catch {
    return undefined
  }
}

/** Explains, after the name of a value, that another copy of Effect made it. */
export const ofAnotherCopy = (): string => {
  const [here, main] = [copyFoundFrom(import.meta.url), copyFoundFrom(process.argv[1])]
  if (here === undefined) return "is of a copy of effect that is not installed beside reins: install effect there, too"
  const other = main === undefined || main === here ? "another copy of effect" : main
  return `is of ${other}, and beside reins is ${here}: let the application have one copy, as by npm dedupe`
}
