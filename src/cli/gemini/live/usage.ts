/**
 * Tokens in the answer to a prompt (Gemini CLI 0.61.0): those of all requests of the turn, by model. Cached ones are
 * part of the input and not separated; thoughts are not reported.
 */
import { Option, Schema } from "effect"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import type { PromptResult } from "../../acp/wire.ts"
import type { RunReport } from "../../Decoder.ts"

const Counts = Schema.Struct({ input_tokens: Schema.Finite, output_tokens: Schema.Finite })

const Meta = Schema.Struct({
  quota: Schema.Struct({
    token_count: Counts,
    model_usage: Schema.optionalKey(
      Schema.NullOr(Schema.Array(Schema.Struct({ model: Schema.String, token_count: Counts })))
    )
  })
})

const decodeMeta = Schema.decodeUnknownOption(Meta)

const usageOf = ({ input_tokens, output_tokens }: typeof Counts.Type): AgentUsage => ({
  inputTokens: input_tokens,
  outputTokens: output_tokens
})

/** A cancelled turn reports nothing. */
export const reportOf = ({ stopReason, _meta }: PromptResult): RunReport => {
  const quota = Option.getOrUndefined(decodeMeta(_meta))?.quota
  const models = (quota?.model_usage ?? []).map(({ model, token_count }) => [model, usageOf(token_count)] as const)
  return {
    ...(stopReason == null ? {} : { stopReason }),
    ...(quota === undefined ? {} : { usage: usageOf(quota.token_count), modelUsage: Object.fromEntries(models) })
  }
}
