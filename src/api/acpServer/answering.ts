/** Whom the agent asks: the person at the client, who has all the time there is; the end of the connection is an end, too. */
import { Duration } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { Shows } from "./liveSession.ts"

const deadline = Duration.infinity

/** Questions are asked of clients that have forms; elsewhere the agent is told at once to use its defaults. */
export const answering = ({ forms }: Shows): Required<Pick<AgentOpenParams, "approvals" | "questions">> => ({
  approvals: [Approvals.plan(undefined, { deadline }), Approvals.ask(undefined, { deadline })],
  questions: forms ? { deadline } : "off"
})
