/**
 * Shared state of the page's modules: the present conversation, and the parts, which depend on each other. `main.js` fills it.
 *
 * @typedef {object} Here
 * @property {import("./types.js").State | undefined} state
 * @property {string} id of the conversation
 * @property {boolean} isNew true before its first message
 * @property {number} replayUntil the newest row when the stream was opened; rows up to it are a replay
 * @property {boolean} isStopping
 * @property {import("./connection.js").Link} link
 * @property {import("./types.js").Choices} chosen here, and not confirmed by the server
 *
 * @typedef {object} Parts
 * @property {import("./outbox.js").Outbox} presses
 * @property {import("./outbox.js").Outbox} messages
 * @property {import("./conversation.js").Conversation} conversation
 * @property {ReturnType<typeof import("./connection.js").makeConnection>} connection
 * @property {ReturnType<typeof import("./composer.js").makeComposer>} composer
 * @property {ReturnType<typeof import("./scrolling.js").makeScrolling>} scrolling
 * @property {ReturnType<typeof import("./scrolling.js").makeEarlier>} earlier
 * @property {ReturnType<typeof import("./strips.js").makeLinkStrip>} linkStrip
 * @property {ReturnType<typeof import("./strips.js").makeRunStrip>} strip
 * @property {ReturnType<typeof import("./choices.js").makeChoices>} selects
 * @property {ReturnType<typeof import("./conversationList.js").makeConversationList>} list
 * @property {ReturnType<typeof import("./drawing.js").makePainter>} painter
 * @property {ReturnType<typeof import("./changes.js").makeChanges>} changes
 * @property {ReturnType<typeof import("./choices.js").makeChoosing>} choosing
 * @property {ReturnType<typeof import("./drawing.js").makeDrawing>} drawing
 * @property {(id: string, isNew?: boolean) => void} open
 */

/** @type {Here} */
export const here = {
  state: undefined,
  id: "",
  isNew: true,
  replayUntil: 0,
  isStopping: false,
  link: { state: "connecting" },
  chosen: {}
}

export const parts = /** @type {Parts} */ ({})

export const isRunning = () => parts.conversation.turn()?.isOver === false
