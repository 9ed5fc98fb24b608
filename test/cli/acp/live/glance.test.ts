/** Pieces of an answer mean the same at a glance, for the agents of the protocol that Reins knows. */
import { acpDialogue } from "../../../../src/cli/acp/live/dialogue.ts"
import { gemini, live as geminiLive } from "../../../../src/cli/gemini/index.ts"
import type { Live } from "../../../../src/cli/Live.ts"
import { opencode } from "../../../../src/cli/opencode/index.ts"
import { opencodeFlavor } from "../../../../src/cli/opencode/live/flavor.ts"
import { describeLiveGlance, talksOf } from "../../liveGlance.ts"
import { result } from "./talk.ts"

const context = { workingDirectory: "/work", privateDirectory: "/private" }

const dialoguesOf = (make: Live["dialogue"]) => {
  const opening = () => make({}, context)
  const opened = () => {
    const dialogue = opening()
    dialogue.open()
    dialogue.push(result(1, { protocolVersion: 1, agentCapabilities: {} }))
    dialogue.push(result(2, { sessionId: "s", modes: { currentModeId: "default" } }))
    return dialogue
  }
  const prompted = () => {
    const dialogue = opened()
    dialogue.turn("go")
    return dialogue
  }
  return [prompted, opened, opening] as const
}

/** With the session of the dialogues. */
const ofSession = (talk: string) => {
  const [, id = ""] = /"sessionId":"([^"]+)"/.exec(talk) ?? []
  return id === "" ? talk : talk.replaceAll(id, "s")
}

/** The agent's lines of a talk that has both sides. */
const fromAgent = (talk: string) =>
  talk
    .split("\n")
    .flatMap((line) => (line.startsWith('{"cli":') ? [line.slice('{"cli":'.length, -1)] : []))
    .join("\n")

describeLiveGlance({
  cli: opencode,
  talks: talksOf("opencode", "stdout.ndjson").map(ofSession),
  dialogues: dialoguesOf(acpDialogue(opencodeFlavor)),
  atLeast: 40
})

describeLiveGlance({
  cli: gemini,
  talks: talksOf("gemini", "talk.ndjson").map(fromAgent).map(ofSession),
  dialogues: dialoguesOf(geminiLive.dialogue),
  atLeast: 20
})
