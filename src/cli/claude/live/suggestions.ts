/**
 * `permission_suggestions` of Claude Code (2.1.330) → scopes wider than the request: only those whose meaning is the
 * same here for certain. They are never handed back, so that the CLI keeps asking and rules that deny keep working.
 */
import { Result, Schema } from "effect"
import type { Offer } from "../../../contract/Ask.ts"
import { prefixOffer } from "../../prefixOffer.ts"
import { decodeLeniently, wireDecoder } from "../../wireDecoder.ts"
import { text } from "../run/wireSystem.ts"

const AddRules = Schema.Struct({
  type: Schema.Literal("addRules"),
  behavior: Schema.Literal("allow"),
  rules: Schema.Array(Schema.Struct({ toolName: Schema.String, ruleContent: text }))
})
const decode = decodeLeniently(wireDecoder(AddRules))

/** Words of one command, and `*` for what follows them. */
const commandOffer = (pattern: string): ReadonlyArray<Offer> =>
  pattern.endsWith(" *") ? prefixOffer(pattern.slice(0, -2).split(" "), "", { tools: ["Bash"] }) : []

const toolOffer = (tool: string): ReadonlyArray<Offer> =>
  tool.includes("*")
    ? []
    : [
        {
          label: `all calls of ${tool}`,
          covers: `Every call of ${tool}, with any input, until this session ends.`,
          match: { tools: [tool] }
        }
      ]

export const offersOf = (suggestions: ReadonlyArray<unknown>): ReadonlyArray<Offer> =>
  suggestions.flatMap((suggestion) => {
    const decoded = decode(suggestion)
    if (Result.isFailure(decoded)) return []
    return decoded.success.rules.flatMap(({ toolName, ruleContent }) => {
      if (ruleContent == null) return toolOffer(toolName)
      return toolName === "Bash" ? commandOffer(ruleContent) : []
    })
  })
