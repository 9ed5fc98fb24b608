/**
 * Data that the server sends and takes: types only, for the checker. `Row` is one line of a conversation as it is
 * replayed and streamed; `State` is everything around it.
 *
 * @typedef {import("../../../contract/AgentEvent.ts").AgentEvent} AgentEvent
 * @typedef {Extract<AgentEvent, { type: "tool_use" }>} ToolUse
 * @typedef {Extract<AgentEvent, { type: "tool_result" }>} ToolResult
 * @typedef {import("../../../contract/ToolEvent.ts").ToolMedia} ToolMedia
 * @typedef {Extract<AgentEvent, { type: "permission_request" }>} PermissionRequest
 * @typedef {Extract<AgentEvent, { type: "permission_decision" }>} PermissionDecision
 * @typedef {Extract<AgentEvent, { type: "question" }>} QuestionAsked
 * @typedef {Extract<AgentEvent, { type: "question_answer" }>} QuestionAnswer
 * @typedef {Extract<AgentEvent, { type: "error" }>} ErrorEvent
 * @typedef {import("../../../contract/ToolEvent.ts").FileEdit} FileEdit
 * @typedef {Partial<import("../../../contract/AgentRunResult.ts").AgentRunResult>} Result
 *
 * @typedef {string | { t: "b" | "i" | "s", c: Inline[] } | { t: "code", text: string } | { t: "a", href: string, c: Inline[] } | { t: "br" }} Inline
 * @typedef {{ task?: boolean, c: Block[] }} ListItem
 * @typedef {{ t: "p", c: Inline[] } | { t: "h", n: number, c: Inline[] } | { t: "code", lang?: string, text: string } | { t: "list", ordered: boolean, start?: number, items: ListItem[] } | { t: "quote", c: Block[] } | { t: "table", align: ("left" | "center" | "right" | null)[], head: Inline[][], rows: Inline[][][] } | { t: "hr" }} Block
 * @typedef {{ segment?: number, from: number, list: Block[], grow?: string }} BlockChange `grow`: text at the end of the code block at `from`
 * @typedef {{ label: string, data: string }} Button
 *
 * @typedef {"sending" | "sent" | "steering" | "taken" | "queued" | "dropped" | "failed"} MessageState
 * @typedef {{ fileId?: string, name: string, kind?: string, bytes: number, problem?: string }} FileRow
 * @typedef {{ id: number, at: number }} Stamp
 * @typedef {{ row: "message", message: string, text: string, by: string, state: MessageState, place?: number, files?: FileRow[] }} MessageRow
 * @typedef {{ row: "state", message: string, state: MessageState, place?: number }} StateRow
 * @typedef {{ row: "run", turn: string, agent: string, model?: string, mode?: string, message?: string }} RunRow
 * @typedef {{ row: "event", turn?: string, event: AgentEvent & { cut?: boolean }, offset?: number, blocks?: BlockChange, plan?: Block[] }} EventRow `offset`: where a delta begins in its text
 * @typedef {{ row: "stopping", turn: string }} StoppingRow the stop of the turn was requested
 * @typedef {{ row: "done", turn: string, result: Result }} DoneRow
 * @typedef {{ row: "host", what: string, text: string, turn?: string, message?: string, choices?: string[], blocks?: Block[], buttons?: Button[][] }} HostRow
 * @typedef {{ row: "said", key: string, text: string, turn?: string, isError?: boolean, blocks?: Block[], buttons?: Button[][], file?: FileRow }} SaidRow
 * @typedef {{ row: "answer", turn: string }} AnswerRow the turn's answer was streamed, and stands
 * @typedef {{ row: "edited", of: number, text: string, blocks?: Block[], buttons?: Button[][] }} EditedRow another text in place of an earlier row's
 * @typedef {Stamp & (MessageRow | StateRow | RunRow | EventRow | StoppingRow | DoneRow | HostRow | SaidRow | AnswerRow | EditedRow)} Row
 *
 * @typedef {{ id: string, name: string, version?: string, models?: string[], problem?: string, install?: string, signedIn?: string }} AgentRow
 * @typedef {{ name: string, path: string, branch?: string, changed?: number }} DirectoryRow
 * @typedef {{ id: string, title: string, directory?: string, agent?: string, model?: string, mode?: string, state: string, at: number, archived?: boolean, page?: string }} ConversationRow `page`: another one that has it
 * @typedef {{ name: string, spent: number, reserved: number, limit: number, again: string }} BudgetRow
 * @typedef {{ agent?: string, model?: string, mode?: string, directory?: string }} Choices
 * @typedef {{ now: number, title: string, person: { id: string, name?: string }, agents: AgentRow[], directories: DirectoryRow[], conversations: ConversationRow[], budget?: BudgetRow, limits: { text: number, uploadBytes: number }, defaults: Choices }} State
 * @typedef {{ do: string } & Record<string, unknown>} Press
 *
 * @typedef {{ path: string, status: "added" | "changed" | "deleted", added?: number, deleted?: number }} ChangedFile
 * @typedef {{ branch: string, repository: string, commit: string, commits: number, isApplied: boolean, mayAct: boolean, count: number, added: number, deleted: number, words: Record<"apply" | "commit" | "discard", string>, files: ChangedFile[] }} Changes `files`: the first ones of `count`
 */
export {}
