/** Pi's side of a live session (0.73.1). */
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Dialogue } from "../../Live.ts"

export const makeDialogue = (_params: AgentOpenParams): Dialogue => ({
  open: () => [],
  push: () => [],
  turn: () => [],
  steer: () => undefined,
  interrupt: () => [],
  decide: () => [],
  answer: () => [],
  change: () => [],
  reply: () => [],
  standing: () => "opening"
})
