// What the markup alone cannot do: show what went wrong, go to the marked place, copy.
"use strict";
(() => {
  const notice = (text) => {
    const shown = document.getElementById("notice");
    shown.textContent = text;
    shown.hidden = !text;
  };
  document.addEventListener("htmx:beforeRequest", () => notice(""));
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    if (event.detail.xhr.status !== 401) return;
    event.preventDefault(); // the session is over: after the login one is back here, with what was typed
    const form = document.getElementById("ask");
    const typed = form ? [...new FormData(form)].filter(([name, value]) => name !== "csrf" && value) : [];
    const back = typed.length ? `${form.getAttribute("action").replace(/ed$/, "")}?${new URLSearchParams(typed)}` : location.pathname + location.search;
    location.assign(`/login?${new URLSearchParams({ next: back })}`);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const answered = event.detail.xhr;
    if ((answered.getResponseHeader("Content-Type") || "").startsWith("text/html")) return;
    event.detail.shouldSwap = false; // a problem document: its words are shown, never taken for markup
    let said = `The server answered with status ${answered.status}.`;
    try {
      said = JSON.parse(answered.responseText).detail || said;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    notice(said);
  });
  document.addEventListener("htmx:sendError", () => notice("The server does not answer. Is it still running?"));
  document.addEventListener("htmx:sseError", (event) => {
    if (event.target.closest("[data-again]")) { // it is tried again, unless one is logged out: a restart does that
      notice("The connection broke; it is tried again. The run goes on meanwhile, unless the server was ended.");
      fetch(location.href, { headers: { Accept: "text/html" } }).then(
        (answer) => { if (answer.redirected) location.assign(answer.url); },
        () => {},
      );
      return;
    }
    notice("The connection broke before the answer came. Load this page again to ask again.");
    event.target.remove(); // with it goes the stream, which would be tried for ever
  });
  document.addEventListener("htmx:sseOpen", () => notice(""));
  document.addEventListener("htmx:afterSettle", (event) => {
    const into = event.detail.target;
    const marked = into && into.id === "beside" && (into.querySelector("#marked") || into.querySelector(".title"));
    if (!marked) return;
    marked.setAttribute("tabindex", "-1");
    marked.focus({ preventScroll: true });
    marked.scrollIntoView({ block: "center" });
  });
  let opener = null; // of the page beside the answer: where the keyboard goes back to
  const close = () => {
    const sheet = document.getElementById("beside");
    if (!sheet || !sheet.firstElementChild) return;
    sheet.replaceChildren();
    if (opener && opener.isConnected) opener.focus();
  };
  document.addEventListener("htmx:configRequest", (event) => { if (event.detail.target && event.detail.target.id === "beside") opener = event.detail.elt; });
  document.addEventListener("click", (event) => { if (event.target.closest("[data-close]")) close(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const field = document.getElementById(button.dataset.copy);
    field.select();
    navigator.clipboard.writeText(field.value).then(
      () => { button.textContent = "Copied"; },
      () => notice("The browser does not let pages copy; the text is selected."),
    );
  });
})();
