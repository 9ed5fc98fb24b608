/**
 * State that the modules of the page share: the present place, and the parts. `main.js` creates both; other modules
 * read `parts` when they need one, since parts depend on each other.
 *
 * @typedef {object} Here
 * @property {import("./types.js").State | undefined} state
 * @property {string} id the conversation that is shown
 * @property {boolean} isNew the server does not know it before its first message
 * @property {number} replayUntil the newest row when the stream was opened: until it is there, rows are a replay
 * @property {boolean} isStopping
 * @property {import("./connection.js").Link} link
 * @property {import("./types.js").Choices} chosen and not yet said by the server
 *
 * @typedef {object} Parts
 * @property {import("./outbox.js").Outbox} presses
 * @property {import("./outbox.js").Outbox} messages
 * @property {import("./conversation.js").Conversation} conversation
 * @property {ReturnType<typeof import("./connection.js").makeConnection>} connection
 * @property {ReturnType<typeof import("./composer.js").makeComposer>} composer
 * @property {ReturnType<typeof import("./scrolling.js").makeScrolling>} scrolling
 * @property {ReturnType<typeof import("./earlier.js").makeEarlier>} earlier
 * @property {ReturnType<typeof import("./linkStrip.js").makeLinkStrip>} linkStrip
 * @property {ReturnType<typeof import("./runStrip.js").makeRunStrip>} strip
 * @property {ReturnType<typeof import("./choices.js").makeChoices>} selects
 * @property {ReturnType<typeof import("./conversationList.js").makeConversationList>} list
 * @property {ReturnType<typeof import("./painter.js").makePainter>} painter
 * @property {ReturnType<typeof import("./choosing.js").makeChoosing>} choosing
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

/** Filled by `main.js` before anything happens. */
export const parts = /** @type {Parts} */ ({})

export const isRunning = () => parts.conversation.turn()?.isOver === false
