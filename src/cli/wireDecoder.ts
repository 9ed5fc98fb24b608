/** JSON → wire form, by a schema, → events, by a CLI's step over its state. */
import { Result, Schema } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import { makerOf, ofAnotherCopy, ownCopy } from "../contract/copiesOfEffect.ts"
import type { Decoder, LineReading } from "./Decoder.ts"
import { type Decode, repaired } from "./lenient.ts"

/** A field that may be missing or null. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
export const text = optional(Schema.String)
export const number = optional(Schema.Finite)
export const flag = optional(Schema.Boolean)
export const anything = Schema.optionalKey(Schema.Unknown)

/** An object whose `type` is one word. In a union a single literal is looked up at once. */
export const typed = <const Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

/** Uses of a schema before it is compiled: compiling takes longer, and most schemas of a short run are used less often. */
const mostInterpreted = 8

/** A use of a schema that is compiled once it is frequent. */
const compiledInTime = <A>(schema: Schema.Constraint, make: () => (value: unknown) => A): ((value: unknown) => A) => {
  let uses = 0
  let use = make()
  return (value) => {
    uses += 1
    if (uses === mostInterpreted) {
      SchemaJITCompiler.enable(schema.ast)
      use = make()
    }
    return use(value)
  }
}

/**
 * The schema of a line → its decoder, to a copy that has only the known fields. A schema that is used often is compiled; where
 * the host forbids to make code at run time, it is interpreted: the same result, later. `frequent` are the most frequent
 * lines, of which nothing is passed on whole: they are checked and not copied, which costs half.
 */
export const wireDecoder = <
  S extends Schema.ConstraintDecoder<unknown>,
  F extends Schema.Constraint & { readonly Type: S["Type"] } = never
>(
  schema: S,
  frequent?: F
): ((json: unknown) => Result.Result<S["Type"], Schema.SchemaError>) => {
  if (makerOf(schema) !== ownCopy) throw new TypeError(`wireDecoder: the schema ${ofAnotherCopy()}`)
  const decode = compiledInTime(schema, () => Schema.decodeUnknownResult(schema))
  if (frequent === undefined) return decode
  const isFrequent = compiledCheck(frequent)
  return (json) => (isFrequent(json) ? Result.succeed(json) : decode(json))
}

/** Whether a value has the form of a schema that transforms nothing; compiled as a decoder is. */
export const compiledCheck = <S extends Schema.Constraint>(schema: S): ((value: unknown) => value is S["Type"]) => {
  const isOfForm = compiledInTime(schema, () => Schema.is(schema))
  return (value): value is S["Type"] => isOfForm(value)
}

/** Leaves out the fields at fault: `lenient.ts`. */
export const decodeLeniently =
  <Wire>(decode: Decode<Wire>): Decode<Wire> =>
  (json) => {
    const result = decode(json)
    return Result.isFailure(result) ? repaired(decode, json, result.failure) : result
  }

/** The form of a line that could not be decoded. */
const unknown = Symbol("unknown")

/** For one run; closes over `Wire` and `State`. */
export const makeDecoder = <Wire, State>(
  { wire, glance, start, step, standing, report, verdict }: LineReading<Wire, State>,
  params: AgentExecuteParams
): Decoder => {
  const decode = decodeLeniently(wire)
  let state = start(params)
  return {
    stages: (use) =>
      use<Wire | typeof unknown>(
        (json) => Result.getOrElse(decode(json), () => unknown),
        (form, raw) => {
          if (form === unknown) return [{ type: "unknown", raw }]
          const [next, events] = step(state, form, raw)
          state = next
          return events
        },
        glance
      ),
    standing: () => standing(state),
    report: () => report(state),
    verdict: (exit) => verdict(state, exit),
    settled: () => ({ _tag: "Success" })
  }
}
