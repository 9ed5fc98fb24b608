/** A script → output and acts of one start; pure. Opens the session first, and ends with success by default. */
import type { Context, Dialect, Lines, Speaker } from "./dialect.ts"
import { InvalidFake } from "./InvalidFake.ts"
import type { Step } from "./Step.ts"
import type { ActStep, SpokenStep, ToolEndStep, ToolStartStep } from "./Steps.ts"

/** A line of the CLI's wire format, or something that needs none. */
export type Spoken = { readonly type: "spoken"; readonly line: unknown } | ActStep

type About = Omit<Context, "refuse">

/** Steps that end the process. */
const ends: ReadonlySet<string> = new Set(["exit", "signal", "hang"])

const acts: ReadonlySet<string> = new Set([
  ...ends, "line", "stderr", "wait", "closeStdout", "process", "expectStdin"
]) // biome-ignore format: one list

const isAct = (step: Step): step is ActStep => acts.has(step.type)

/** Lines for one step; keeps the open calls and the exit code. */
const makeMouth = (speaker: Speaker, refuse: Context["refuse"]) => {
  const open = new Map<string, ToolStartStep>()
  let hasSession = false
  let hasEnd = false
  let exitCode = 0
  const toolStart = (step: ToolStartStep): Lines => {
    if (open.has(step.id)) refuse(`the call ${JSON.stringify(step.id)} is open; give this one another id`)
    open.set(step.id, step)
    return speaker.toolStart(step)
  }

  const toolEnd = (step: ToolEndStep): Lines => {
    const start = open.get(step.id)
    if (start === undefined) return refuse(`no call ${JSON.stringify(step.id)} is open; a toolStart has to come before`)
    open.delete(step.id)
    return speaker.toolEnd(start, step)
  }

  const say = (step: SpokenStep): Lines => {
    switch (step.type) {
      case "session":
        return speaker.session(step)
      case "text":
        return speaker.text(step.pieces)
      case "answer":
        return speaker.answer?.(step.value) ?? speaker.text([JSON.stringify(step.value)])
      case "thinking":
        return speaker.thinking === undefined ? refuse("it prints no thoughts") : speaker.thinking(step.pieces)
      case "tool": {
        const id = step.id ?? speaker.newToolId(step.name)
        return [...toolStart({ ...step, type: "toolStart", id }), ...toolEnd({ ...step, type: "toolEnd", id })]
      }
      case "toolStart":
        return toolStart(step)
      case "toolEnd":
        return toolEnd(step)
      case "retry":
        return speaker.retry === undefined ? refuse("it tells retries on stderr only") : speaker.retry(step)
      case "error": {
        const failed = speaker.error(step)
        hasEnd = true
        exitCode = failed.exitCode
        return failed.lines
      }
      case "result":
        hasEnd = true
        exitCode = 0
        return speaker.result(step)
      default:
        return refuse("unknown step; the functions of Step make them")
    }
  }

  const opening = (step: SpokenStep): Lines => {
    const isNew = !hasSession
    hasSession = true
    return isNew && step.type !== "session" ? speaker.session({ type: "session" }) : []
  }

  return {
    say: (step: SpokenStep): Lines => [...opening(step), ...say(step)],
    hasEnd: () => hasEnd,
    exitCode: () => exitCode
  }
}

export const speak = (dialect: Dialect, steps: ReadonlyArray<Step>, about: About): ReadonlyArray<Spoken> => {
  const output: Array<Spoken> = []
  let subject = `a fake ${dialect.name}`
  const refuse = (problem: string): never => {
    throw new InvalidFake({ subject, problem })
  }
  const mouth = makeMouth(dialect.speaker({ ...about, refuse }), refuse)
  const say = (step: SpokenStep) => output.push(...mouth.say(step).map((line) => ({ type: "spoken", line }) as const))
  if (!Array.isArray(steps)) refuse("a script is an array of steps")
  let isMute = false
  for (const [index, step] of steps.entries()) {
    subject = `step ${index + 1} (${step?.type}) of a fake ${dialect.name}`
    if (step === undefined || step === null) refuse("is not a step; the functions of Step make them")
    const last = steps[index - 1]
    if (last !== undefined && ends.has(last.type)) refuse(`is never reached: ${last.type} is the end of the process`)
    const prints = !isAct(step) || step.type === "line" || step.type === "closeStdout"
    if (isMute && prints) refuse("cannot be printed: stdout is closed")
    isMute ||= step.type === "closeStdout"
    if (isAct(step)) output.push(step)
    else say(step)
  }
  const last = steps.at(-1)?.type ?? ""
  if (ends.has(last)) return output
  if (!mouth.hasEnd() && !isMute) say({ type: "result" })
  return [...output, { type: "exit", code: mouth.exitCode() }]
}

/** The lines alone, as of a run in `/workspace` with the prompt `hello`. A `line` step is unchanged. */
export const linesOf =
  (dialect: Dialect) =>
  (steps: ReadonlyArray<Step>, sessionId: string = dialect.sessionId): Lines =>
    speak(dialect, steps, {
      sessionId,
      workingDirectory: "/workspace",
      prompt: "hello",
      permissionMode: "default"
    }).flatMap((step) => {
      if (step.type === "spoken") return [step.line]
      return step.type === "line" ? [step.value] : []
    })
