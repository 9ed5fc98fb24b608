/** The models of OpenCode (1.18.33): `opencode models --verbose`, of each its name on a line, then its facts as JSON. */
import { Predicate, Result } from "effect"
import { below, jsonOf, listed, type ModelsQuestion } from "../Models.ts"

const variants = (fields: object) => {
  const efforts = below(fields, "variants")
  return Predicate.isObject(efforts) ? Object.keys(efforts) : undefined
}

export const models: ModelsQuestion = {
  plan: () =>
    Result.succeed({
      args: ["models", "--verbose"].map((text) => ({ option: "models", text })),
      files: [],
      env: {}
    }),
  dialogue: () => {
    const entries: Array<Readonly<Record<string, unknown>>> = []
    let facts: Array<string> = []
    const finish = () => {
      const last = entries.pop()
      if (last !== undefined) entries.push({ ...Object(jsonOf(facts.join("\n"))), ...last })
      facts = []
    }
    return {
      open: [],
      line: (text) => {
        if (/^[^\s{}]+\/\S+$/.test(text)) {
          finish()
          entries.push({ model: text })
        } else facts.push(text)
        return {}
      },
      end: () => {
        finish()
        return listed(entries.length === 0 ? undefined : entries, { id: "model", name: "name", efforts: variants })
      }
    }
  }
}
