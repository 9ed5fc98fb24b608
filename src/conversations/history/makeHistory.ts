/** The operations on stored sessions, as one. */
import { adoptSession } from "./adopt.ts"
import { archiveSession, clearConversation, renameSession } from "./change.ts"
import type { HistoryContext } from "./context.ts"
import { exportSession } from "./exportSession.ts"
import { findSessionInfo } from "./find.ts"
import { forgetSession } from "./forget.ts"
import { forkSession } from "./fork.ts"
import type { History } from "./History.ts"
import { listSessions } from "./list.ts"
import { sessionTranscript } from "./transcript.ts"

export const makeHistory = (context: HistoryContext): History => ({
  list: (filter) => listSessions(context, filter),
  get: (session) => findSessionInfo(context, session),
  rename: (session, title) => renameSession(context, session, title),
  forget: (session) => forgetSession(context, session),
  archive: (session) => archiveSession(context, session),
  fork: (session, options) => forkSession(context, session, options),
  adopt: (session, options) => adoptSession(context, session, options),
  clear: (conversation, cli) => clearConversation(context, conversation, cli),
  events: (session, options) => sessionTranscript(context, session, options),
  export: (session, format) => exportSession(context, session, format)
})
