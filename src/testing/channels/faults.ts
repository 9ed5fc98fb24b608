/** Faults for the next calls. */
import type { SendReason } from "../../bridge/messages/SendError.ts"

/** A method of `Channel` that can be made to fail. */
export type ScriptedMethod = "send" | "find" | "edit" | "remove" | "acknowledge" | "download"

/**
 * A reason; or `cutBefore`: not done, and the caller cannot know; `cutAfter`: done, and the caller cannot know; `hang`: not
 * done, and no answer.
 */
export type ScriptedFault = SendReason | "cutBefore" | "cutAfter" | "hang"

export const makeFaults = () => {
  const waiting: Array<{ readonly method: ScriptedMethod; readonly fault: ScriptedFault }> = []
  return {
    add: (method: ScriptedMethod, fault: ScriptedFault, times: number) => {
      for (let index = 0; index < times; index++) waiting.push({ method, fault })
    },
    /** Once each, in their order. */
    take: (method: ScriptedMethod): ScriptedFault | undefined => {
      const at = waiting.findIndex((each) => each.method === method)
      return at < 0 ? undefined : waiting.splice(at, 1)[0]?.fault
    }
  }
}
