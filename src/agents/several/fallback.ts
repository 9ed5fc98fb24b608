/**
 * Gives one prompt to the first of several agents that can start. The next one is asked only if nothing was done; the
 * conversation is handed over only where the caller agreed to that.
 */
import { Effect } from "effect"
import { AgentsError, HandOverRefused, NoGoodAnswer } from "../../contract/AgentsError.ts"
import { eventually } from "../../contract/Input.ts"
import { mayFallBack } from "../../contract/MayRetry.ts"
import type {
  AgentEnd,
  Conversation,
  FallbackAnswer,
  FallbackOptions,
  HandOver,
  ParamsOfAgents
} from "../../contract/SeveralAgents.ts"
import { handOverPrompt, makeTurnRecorder, withTurn } from "./handOver.ts"
import { checkOptions, ended, type Member, membersOf, type Team, untilAborted } from "./team.ts"

/** The agent that has the conversation is asked first. */
const inOrder = <M extends Member>(members: ReadonlyArray<M>, conversation: Conversation | undefined) => {
  const isHolder = ({ agent }: M) => agent === conversation?.agent
  return [...members.filter(isHolder), ...members.filter((member) => !isHolder(member))]
}

const agrees = (handOver: FallbackOptions["handOver"], offer: HandOver) =>
  typeof handOver === "function" ? Effect.orDie(eventually(() => handOver(offer))) : Effect.succeed(handOver === true)

/** The agent's params with the conversation: its own session, or the transcript. */
const continuing = Effect.fnUntraced(function* <Output>(
  { agent, params }: Member<Output>,
  conversation: Conversation | undefined,
  handOver: FallbackOptions["handOver"],
  others: ReadonlyArray<AgentEnd>
) {
  if (conversation === undefined || conversation.turns.length === 0) return { agent, params }
  const isHolder = agent === conversation.agent
  const { sessionId } = conversation
  if (isHolder && sessionId !== undefined) return { agent, params: { ...params, sessionId } }
  const { sessionId: _session, forkSession: _fork, ...rest } = params
  const prompt = handOverPrompt(conversation, params.prompt)
  const offer: HandOver = { from: conversation.agent, to: agent, prompt }
  if (!isHolder && !(yield* agrees(handOver, offer))) {
    return yield* new AgentsError({ reason: new HandOverRefused({ from: offer.from, to: agent, others }) })
  }
  return { agent, params: { ...rest, prompt } }
})

export const fallback = <Output = unknown>(
  team: Team,
  params: ParamsOfAgents<string, string, Output>,
  options: FallbackOptions = {}
) =>
  Effect.gen(function* () {
    yield* checkOptions("fallback", options)
    const { agents, conversation, handOver, onEvent } = options
    const members = inOrder(yield* membersOf(team, params, agents), conversation)
    const others: Array<AgentEnd> = []
    for (const member of members) {
      const { agent } = member
      const recorder = makeTurnRecorder()
      const continued = yield* continuing(member, conversation, handOver, others)
      const end = yield* ended(team, continued, (event) => {
        recorder.onEvent(event)
        onEvent?.(event, agent)
      })
      if (end.error === undefined) {
        const turn = recorder.turn(agent, member.params.prompt, end.result.text)
        const answer: FallbackAnswer<string, Output> = {
          ...end,
          others,
          conversation: withTurn(conversation, turn, end.result.sessionId)
        }
        return answer
      }
      others.push(end)
      if (!mayFallBack(end.error)) break
    }
    return yield* new AgentsError({ reason: new NoGoodAnswer({ others }) })
  }).pipe((asking) => untilAborted(asking, params), Effect.withSpan("Agents.fallback"))
