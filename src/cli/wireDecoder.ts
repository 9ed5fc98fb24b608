/**
 * Lines come by the hundred thousand, so that the schema of a line is compiled when it is first used. Where the host
 * forbids code to be made at run time, it is interpreted as any other schema: the same result, later.
 */
import { Schema } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

export const wireDecoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  SchemaJITCompiler.enable(schema.ast)
  return Schema.decodeUnknownResult(schema)
}
