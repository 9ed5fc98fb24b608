/** Spoken steps → instructions of the player; pure. Prints that follow each other are one, and so one write. */
import type { Instruction } from "./instructions.ts"
import type { ReplayStep } from "./Replayed.ts"
import type { Spoken } from "./speak.ts"

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

const instructionOf = (step: Spoken | ReplayStep): Instruction => {
  switch (step.type) {
    case "spoken":
      return { do: "print", text: `${JSON.stringify(step.line)}\n`, fill: true }
    case "line":
      return { do: "print", text: `${asText(step.value)}${step.newline ? "\n" : ""}`, fill: false }
    case "stderr":
      return { do: "warn", text: step.text }
    case "signal":
      return { do: "kill", signal: step.signal }
    case "hang":
      return { do: "hang" }
    case "process": {
      const { type: _, ...how } = step
      return { do: "startProcess", ...how }
    }
    case "wait":
    case "waitUntil":
    case "exit":
    case "closeStdout":
    case "expectStdin": {
      const { type, ...how } = step
      return { do: type, ...how } as Instruction // the same names and fields
    }
  }
}

export const instructionsOf = (steps: ReadonlyArray<Spoken | ReplayStep>): ReadonlyArray<Instruction> => {
  const instructions: Array<Instruction> = []
  for (const next of steps.map(instructionOf)) {
    const last = instructions.at(-1)
    if (last?.do === "print" && next.do === "print" && last.fill === next.fill) {
      instructions[instructions.length - 1] = { ...last, text: last.text + next.text }
    } else instructions.push(next)
  }
  return instructions
}

/** A process that is to stay deaf is deaf from its start, so that no signal comes too early. */
export const isDeaf = (steps: ReadonlyArray<{ readonly type: string; readonly deaf?: boolean }>): boolean =>
  steps.some((step) => step.type === "hang" && step.deaf === true)
