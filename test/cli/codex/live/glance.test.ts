/** Deltas of Codex mean the same at a glance. */
import { codex } from "../../../../src/cli/codex/index.ts"
import { makeDialogue } from "../../../../src/cli/codex/live/dialogue.ts"
import { describeLiveGlance, talksOf } from "../../liveGlance.ts"
import { inTurn, makePeer, threadId } from "./peer.ts"
import { context } from "./player.ts"

const turnId = "01a1fa30-0000-7000-8000-000000000001"

/** With the thread and the turn of the dialogues. */
const ofPeer = (talk: string) => {
  const [, thread = "", turn = ""] = /"threadId":"([^"]+)","turn":\{"id":"([^"]+)"/.exec(talk) ?? []
  return thread === "" ? talk : talk.replaceAll(thread, threadId).replaceAll(turn, turnId)
}

describeLiveGlance({
  cli: codex,
  talks: talksOf("codex", "stdout.ndjson").map(ofPeer),
  dialogues: [
    () => inTurn(turnId),
    () => inTurn("another"),
    () => {
      const { dialogue, open } = makePeer()
      open()
      return dialogue
    },
    () => makeDialogue({}, context)
  ],
  atLeast: 20
})
