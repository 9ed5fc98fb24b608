/**
 * Lines come by the hundred thousand, so that the schema of a line is compiled when it is first used. Where the host
 * forbids code to be made at run time, it is interpreted as any other schema: the same result, later.
 */
import { Result, Schema } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/**
 * Decodes to a copy that has the known fields and no more. `frequent` are those of its lines that come most, and of
 * which nothing is passed on whole: they are looked at and not copied, which costs half.
 */
export const wireDecoder = <
  S extends Schema.ConstraintDecoder<unknown>,
  F extends Schema.Constraint & { readonly Type: S["Type"] } = never
>(
  schema: S,
  frequent?: F
): ((json: unknown) => Result.Result<S["Type"], Schema.SchemaError>) => {
  SchemaJITCompiler.enable(schema.ast)
  const decode = Schema.decodeUnknownResult(schema)
  if (frequent === undefined) return decode
  SchemaJITCompiler.enable(frequent.ast)
  const isFrequent = Schema.is(frequent)
  return (json) => (isFrequent(json) ? Result.succeed(json) : decode(json))
}
