/**
 * All that the page says, in one table, so that it can be said in another language: `direction` turns the whole page. What
 * people, models and programs wrote is not in it.
 */

/** @param {number} n @param {string} noun */
const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`

export const words = {
  language: "en",
  direction: "ltr",

  // the frame
  skip: "Skip to the message box",
  conversations: "Conversations",
  newOne: "New",
  newTitle: "New conversation",
  closeList: "Close the list",
  search: "Search",
  searchLong: "Search conversations",
  found: /** @param {number} n */ (n) => `${count(n, "conversation")} found`,
  nothingYet: "Nothing yet. What you ask is kept here.",
  nothingWith: /** @param {string} query */ (query) => `Nothing with “${query}”.`,
  groups: {
    asking: "Waits for you",
    today: "Today",
    yesterday: "Yesterday",
    week: "This week",
    earlier: "Earlier",
    archived: "Archived"
  },
  marks: /** @type {Record<string, string>} */ ({
    running: "at work",
    asking: "waits for you",
    failed: "failed",
    interrupted: "interrupted",
    done: ""
  }),
  atPage: /** @param {string} page */ (page) => `at ${page}`,
  actions: /** @param {string} title */ (title) => `Rename, export or archive “${title}”`,
  rename: "Rename",
  newName: "New name",
  save: "Save",
  exportMarkdown: "Export as Markdown",
  exportJson: "Export as JSON",
  archive: "Archive",
  unarchive: "Take out of the archive",
  colours: /** @type {Record<string, string>} */ ({
    system: "Colours: as the system",
    light: "Colours: light",
    dark: "Colours: dark"
  }),
  conversation: "Conversation",
  newest: "Newest",
  earlierTurns: "Show earlier messages",
  loading: "Loading…",
  asks: "(!) ",
  works: "● ",

  // the connection
  lost: "Connection lost. The agent works on; nothing is lost.",
  againIn: /** @param {number} s */ (s) => `Again in ${s} s`,
  now: "Now",
  offline:
    "reins serve cannot be reached. Start it again where it ran; this page goes on by itself. What you write waits here.",
  back: "Connected again.",
  expiredLink:
    "This link is no longer valid: reins serve was started again. Open the link that it printed; what you wrote is kept in this tab.",
  expiredTitle: "This link is not valid here",
  expiredText: [
    "The link that ",
    "reins serve",
    " printed holds a key. Open the whole link, with the part behind the #, or start it again to get a new one:"
  ],
  notFound: "This conversation is not here. It may belong to another person, or was removed.",

  // messages
  message: "Message",
  messageLabel: "Message to the agent",
  ask: /** @param {string} agent */ (agent) => `Ask ${agent} …`,
  send: "Send",
  steer: "Steer",
  queue: "Queue",
  hintIdle: "Enter sends · Shift+Enter: new line · ? shows all keys",
  hintRunning: "Enter: the agent takes it up at its next step · Alt+Enter: queue · Ctrl+. stops",
  states: /** @type {Record<string, string>} */ ({
    sending: "Not sent yet: waiting for the connection",
    steering: "Sent to the agent: it takes it up at its next step",
    taken: "Taken up by the agent",
    dropped: "Dropped: the agent never saw it"
  }),
  queued: /** @param {number} place */ (place) => `Queued · ${place}`,
  notSent: /** @param {string} why */ (why) => `Not sent: ${why}`,
  notYet: /** @param {string} why */ (why) => `Not sent yet: ${why}`,
  editAgain: "Edit",
  drop: "Drop",
  nowTitle: "Ends the turn, then runs this",
  you: "you",
  tooLong: /** @param {number} over */ (over) =>
    `Too long by ${count(over, "character")}: attach it as a file instead.`,
  agent: "Agent",
  model: "Model",
  permissions: "Permissions",
  defaultModel: "Default",
  modes: /** @type {Record<string, string>} */ ({
    default: "Ask",
    plan: "Plan first",
    "accept-edits": "Accept edits",
    bypass: "No questions"
  }),

  // files
  attach: "Attach files",
  attached: "Attached",
  remove: /** @param {string} name */ (name) => `Remove ${name}`,
  overSize: /** @param {string} limit */ (limit) => `over ${limit}`,
  uploading: /** @param {string} name */ (name) => `Uploading ${name}`,
  stillUploading: "Not sent yet: a file is still on its way.",
  removeFirst: /** @param {string} name */ (name) => `Not sent: remove ${name} first, it was not attached.`,
  show: /** @param {string} name */ (name) => `Show ${name}`,
  download: "Download",
  close: "Close",
  firstPart: /** @param {string} size */ (size) => `The first ${size} are shown; download it to see the rest.`,

  // a turn
  verbs: /** @type {Record<string, string>} */ ({
    command: "Run",
    file_change: "Edit",
    read: "Read",
    search: "Search",
    web: "Web",
    mcp: "Tool",
    subagent: "Sub-agent",
    plan: "Plan",
    question: "Ask",
    other: "Tool"
  }),
  create: "Create",
  move: "Move",
  removeFile: "Delete",
  thought: "Thought",
  starting: "Starting",
  writing: "Writing",
  thinking: "Thinking",
  stepStates: /** @type {Record<string, string>} */ ({
    running: "running",
    done: "done",
    failed: "failed",
    unknown: "unknown"
  }),
  exit: /** @param {number} code */ (code) => `exit ${code}`,
  counted: /** @param {string} kind @param {number} n */ (kind, n) =>
    kind === "search" && n > 1 ? `${n} searches` : count(n, kinds[kind] ?? "step"),
  steps: /** @param {number} n */ (n) => count(n, "step"),
  failedSteps: /** @param {number} n */ (n) => ` · ${n} failed`,
  earlierSteps: /** @param {number} n */ (n) => `Show ${count(n, "earlier step")}`,
  earlierLines: /** @param {number} n */ (n) => `Show ${count(n, "earlier line")}`,
  cutOff: "The rest was too long to be kept here.",
  images: /** @param {number} n */ (n) => count(n, "image"),
  imageOf: /** @param {string} title */ (title) => `Image of ${title}`,
  imageLeftOut: /** @param {string} size */ (size) => `An image of ${size}, which is too large to be shown here.`,
  imageDamaged: "An image that cannot be drawn.",
  output: "Output",
  change: /** @param {string} path */ (path) => `Change of ${path}`,
  lineAt: /** @param {number} line */ (line) => `from line ${line}`,
  everywhere: "every occurrence",
  movedTo: /** @param {string} path */ (path) => `moved to ${path}`,
  added: "added ",
  removed: "removed ",
  linesAdded: "lines added: ",
  linesRemoved: "lines removed: ",
  todo: "To do",
  todoState: /** @type {Record<string, string>} */ ({
    pending: "to do: ",
    in_progress: "under way: ",
    completed: "done: ",
    cancelled: "cancelled: ",
    blocked: "blocked: "
  }),
  planAt: /** @param {number} done @param {number} all @param {string} text */ (done, all, text) =>
    `${done} of ${all} done${text === "" ? "" : ` · ${text}`}`,
  code: /** @param {string | undefined} language */ (language) => (language ? `Code, ${language}` : "Code"),
  table: "Table",
  wrap: "Wrap",
  plainText: "text",
  itemDone: "Done: ",
  itemOpen: "To do: ",
  copy: /** @param {string} what */ (what) => `Copy ${what}`,
  copied: "Copied",
  copyRefused: "Copying was refused by the browser",
  things: {
    code: "code",
    command: "command",
    input: "input",
    answer: "answer",
    resume: "the command that goes on in a terminal"
  },
  invisible: "An invisible character",
  unknownEvent: "An event that this page does not know",
  by: /** @param {string} name @param {string} at */ (name, at) => `${name}, ${at}`,
  outcomes: /** @type {Record<string, string>} */ ({
    completed: "Done",
    failed: "Failed",
    aborted: "Stopped",
    timed_out: "Timed out"
  }),
  tokens: /** @param {string} n */ (n) => `${n} tokens`,
  lastWords: "Last words of the program",
  run: "Run",
  waiting: /** @param {number} n */ (n) => (n > 1 ? `Waiting for you · ${n}` : "Waiting for you"),
  goThere: "Go to it",
  stop: "Stop",
  stopping: "Stopping…",
  ended: /** @param {string} agent @param {string} facts */ (agent, facts) => `${agent}: ${facts}`,
  stepFailed: /** @param {string} title */ (title) => `${title} failed`,

  // requests
  requestHeads: /** @type {Record<string, string>} */ ({
    plan: "Approve this plan?",
    command: "Run this command?",
    file_change: "Make this change?",
    web: "Open this address?",
    mcp: "Call this tool?"
  }),
  useTool: /** @param {string} tool */ (tool) => `Use ${tool}?`,
  escalated: ["Outside the sandbox.", " It can reach the network and every file that you can."],
  uncertain: "Another command may run than the one that is shown here.",
  notWhole:
    "Not all of it can be shown here, so it cannot be allowed here. Deny it, or ask the agent for smaller steps.",
  noPlan: "The agent does not show its plan here. Ask for an outline, or deny.",
  moreLines: /** @param {number} n */ (n) => `${count(n, "more line")}: show them to allow`,
  showFirst: "Show the hidden lines first.",
  facts: { tool: "Tool", directory: "In", files: "Files", code: "Code", category: "Category" },
  approve: "Approve",
  approveEdits: "Approve the plan and its edits",
  allowOnce: "Allow once",
  allowOutside: "Allow once, outside the sandbox",
  always: "Always…",
  noAlways: "“Always” is not offered: what this call does cannot be told from its form.",
  outline: "Outline first",
  deny: "Deny",
  denyMessage: "Deny with a message…",
  notAgain: "Do not ask again for",
  allowAlways: "Allow, and do not ask again",
  backTo: "Back",
  instead: "What shall it do instead?",
  tellWhy: "Tell the agent why",
  denyTell: "Deny and tell",
  deciding: "Sending…",
  decisions: /** @type {Record<string, string>} */ ({ allow: "Allowed", deny: "Denied", withdrawn: "Withdrawn" }),
  approved: "Approved",
  thePlan: "the plan",
  byWhom: /** @param {string} who */ (who) => `by ${who}`,
  personAt: /** @param {string} person @param {string | undefined} where */ (person, where) =>
    where ? `${person}, on ${where}` : person,
  deciders: /** @type {Record<string, string>} */ ({
    rule: "a rule",
    handler: "a rule",
    memory: "an earlier answer",
    caller: "you",
    deadline: "the deadline: no answer in time",
    agent: "the agent, which no longer asks",
    end: "the end of the session"
  }),
  notAskedFor: /** @param {string} what */ (what) => `Not asked again for ${what}.`,
  told: /** @param {string} what */ (what) => `Told: “${what}”`,
  timeOver: "time is over",
  deniedIn: /** @param {string} time */ (time) => `denied in ${time}`,
  leftIn: /** @param {string} time */ (time) => `left to the agent in ${time}`,
  agentAsks: "The agent asks",
  questions: /** @param {number} n */ (n) => (n === 1 ? "A question" : `${n} questions`),
  several: " (several)",
  somethingElse: "Something else…",
  answer: "Answer",
  letChoose: "Let the agent choose",
  notAnswered: /** @param {string} question */ (question) => `Not answered yet: ${question}`,
  leftToAgent: "left to the agent",
  answeredBy: /** @param {string} who */ (who) => `Answered by ${who}`,
  leftBy: /** @param {string} who */ (who) => `Left to the agent by ${who}`,
  asksNow: /** @param {string} agent @param {string} what @param {string} key */ (agent, what, key) =>
    `${agent} asks: ${what}. ${key} goes there.`,
  elsewhere: /** @param {string} title */ (title) => `“${title}” waits for you.`,

  // failures
  runFailed: "The run failed",
  advice: /** @type {Record<string, (name: string) => readonly [what: string, cure: string]>} */ ({
    auth: (name) => ["is not signed in", `Sign in once in a terminal: run “${name}”. Then press Again.`],
    billing: (name) => ["says that the account cannot pay", `Check the plan or key of ${name}.`],
    rate_limit: () => ["has reached its limit", "Wait, or go on with another agent or model."],
    overloaded: () => ["is overloaded", "Press Again in a minute."],
    context_overflow: () => ["ran out of context", "Begin a new conversation, or ask for a summary first."],
    network: () => ["could not be reached", "Check the connection of the machine that serves this page."],
    not_installed: (name) => ["is not installed", `Install ${name}, then press Again.`],
    timeout: () => ["was silent for too long and was ended", "Press Again; what it did so far stands."],
    crash: () => ["crashed", "Files that it changed stay changed. Go on resumes the session."],
    session_not_found: () => ["no longer knows this session", "Begin a new conversation; the text above is kept."],
    permission: () => ["was not allowed to", "Change the permissions below the box, then press Again."],
    busy: () => ["is busy elsewhere", "Another program uses this session. Close it there, then press Again."],
    other: () => ["failed", "Press Again, or look at the details."]
  }),
  freeAt: /** @param {string} time */ (time) => `Free again at ${time}. `,
  details: "Details",
  again: "Again",
  againFromStart: "Again from the start",
  goOn: "Go on",
  goOnText: "Go on where you stopped.",
  anotherAgent: "Another agent",
  failedNow: /** @param {string} agent @param {string} why */ (agent, why) => `${agent} failed: ${why}`,
  interrupted: "Interrupted",
  interruptedChoices: /** @type {Record<string, readonly [label: string, title: string]>} */ ({
    continue: ["Go on", "Resumes the session where it stood"],
    again: ["Again", "Runs the message once more"],
    forget: ["Forget", "Leaves it as it is"]
  }),
  budgetSpent: "The budget is spent",
  cheaperModel: "Cheaper model",
  showIt: "Show",
  sentByAgent: "Sent by the agent",
  noServer: "reins serve cannot be reached.",
  refused: /** @param {number} status */ (status) => `The server refused it (${status}).`,

  // around it
  thisConversation: "This conversation",
  directory: "Directory",
  branch: "Branch",
  changedOf: /** @param {string} branch @param {number} n */ (branch, n) =>
    n > 0 ? `${branch} · ${n} changed` : branch,
  changedFiles: "Changed files",
  budget: "Budget",
  spentOf: /** @param {string} spent @param {string} limit */ (spent, limit) => `${spent} of ${limit}`,
  reserved: /** @param {string} amount @param {string} again */ (amount, again) =>
    `${amount} reserved by what runs. Free again ${again}.`,
  startTitle: "What shall be done?",
  noAgentTitle: "No agent is installed yet",
  worksIn: "Works in ",
  demoIn: "The demo agent answers, without a key, in ",
  onBranch: /** @param {string} branch @param {number} n */ (branch, n) => ` on ${branch}, ${count(n, "changed file")}`,
  agents: "Agents",
  install: /** @param {string} name */ (name) => `the command that installs ${name}`,
  beginWith: "Begin with",
  suggestions: [
    "Explain how this project is built, in ten lines.",
    "What changed since yesterday, and is it tested?",
    "Find the slowest test and say why it is slow."
  ],
  demoSuggestions: ["Show me what you can do."],
  keys: "Keys",
  shortcuts: [
    ["Enter", "Send; while the agent works: steer"],
    ["Alt Enter", "Queue for afterwards"],
    ["Shift Enter", "New line"],
    ["Alt A", "Go to what waits for you"],
    ["Ctrl .", "Stop the agent"],
    ["Ctrl K", "Search conversations"],
    ["Alt N", "New conversation"],
    ["/", "To the message box"],
    ["Alt ↑ ↓", "Message before, after"],
    ["?", "These keys"]
  ],
  keysNote: "No key allows anything by itself: Alt A moves to the request, Tab to its buttons."
}

/** @type {Record<string, string>} */
const kinds = {
  command: "command",
  file_change: "edit",
  read: "read",
  search: "search",
  web: "web look-up",
  mcp: "tool call",
  subagent: "sub-agent",
  thinking: "thought"
}
