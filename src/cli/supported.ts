/** The table of options by CLI → the options of one CLI, for its runs and for its live sessions; pure. */
import { Struct } from "effect"
import { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentId } from "../contract/CliId.ts"
import { supports, takesOutputSchema } from "../contract/supports.ts"

const takersOf: Readonly<Record<string, ReadonlyArray<string>>> = supports

/** Whether only some CLIs support an option. */
export const isOfSome = (option: string): boolean => Object.hasOwn(takersOf, option)

const has = (option: string, ...takers: ReadonlyArray<string>) =>
  takersOf[option]?.some((taker) => takers.includes(taker)) === true

/** With `outputSchema` where the CLI has an option of its own for it. */
export const inRuns = (id: AgentId): ReadonlySet<keyof AgentExecuteParams> =>
  new Set(
    Struct.keys(AgentExecuteParams.fields).filter((option) =>
      option === "outputSchema" ? takesOutputSchema.includes(id) : has(option, id, `${id} runs`)
    )
  )

export const inSessions = (id: AgentId): ReadonlySet<keyof AgentOpenParams> =>
  new Set(Struct.keys(AgentOpenParams.fields).filter((option) => has(option, id)))
