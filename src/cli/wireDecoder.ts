/**
 * Lines come by the hundred thousand, so that the schema of a line is compiled when it is first used. Where the host
 * forbids code to be made at run time, it is interpreted as any other schema: the same result, later.
 */
import { Schema } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/** Whether a line is one of these, for lines of which nothing is passed on whole: what it holds besides stays in it. */
export const wireCheck = <S extends Schema.Constraint>(schema: S) => {
  SchemaJITCompiler.enable(schema.ast)
  return Schema.is(schema)
}

export const wireDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  SchemaJITCompiler.enable(schema.ast)
  return Schema.decodeUnknownResult(schema)
}
