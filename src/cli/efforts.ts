/** How much a model can be asked to think, in the words of a CLI, and the refusal of a word that is none of them. */
import { InvalidParams } from "../contract/AgentError.ts"
import { efforts } from "../contract/supports.ts"

export const effortProblem = (id: keyof typeof efforts, effort: string | undefined): InvalidParams | undefined => {
  const known: ReadonlyArray<string> = efforts[id]
  if (effort === undefined || known.includes(effort)) return undefined
  return new InvalidParams({
    option: "effort",
    problem: `${JSON.stringify(effort.slice(0, 100))} is none of ${known.join(", ")}`
  })
}
