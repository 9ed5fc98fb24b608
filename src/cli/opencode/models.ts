/** The models of OpenCode (1.18.33): `opencode models --verbose` prints the name of each on a line, then its facts as JSON. */
import { Predicate, Result } from "effect"
import { flag } from "../commandLine.ts"
import { at, parsed } from "../jsonFields.ts"
import { listed, type ModelsQuestion } from "../Models.ts"

const variants = (fields: object) => {
  const efforts = at(fields, "variants")
  return Predicate.isObject(efforts) ? Object.keys(efforts) : undefined
}

export const models: ModelsQuestion = {
  plan: () => Result.succeed({ args: flag("models", "models", "--verbose"), files: [], env: {} }),
  dialogue: () => {
    const entries: Array<Readonly<Record<string, unknown>>> = []
    let facts: Array<string> = []
    const finish = () => {
      const last = entries.pop()
      if (last !== undefined) entries.push({ ...Object(parsed(facts.join("\n"))), ...last })
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
