// Small helpers of the workbench: parts that come later, live runs, copying, uploads. Pages work by links and forms.
(function () {
  "use strict";
  var formToken = document.querySelector("meta[name=form]").content;

  function wait(place, text) {
    var line = document.createElement("p"), bar = document.createElement("progress");
    line.className = "wait";
    bar.setAttribute("aria-label", text);
    line.append(bar, " " + text);
    place.replaceChildren(line);
    tick(line);
  }

  // Seconds that go by say that something is done; they are for eyes alone, or a reader would read each.
  function tick(line) {
    var begun = Date.now(), clock = document.createElement("span");
    clock.setAttribute("aria-hidden", "true");
    line.append(clock);
    var timer = setInterval(function () {
      if (!line.isConnected) { clearInterval(timer); return; }
      var seconds = Math.round((Date.now() - begun) / 1000);
      if (seconds > 2) { clock.textContent = ": " + seconds + " s"; }
    }, 1000);
  }

  var FOCUSABLE = "a[href], summary, [tabindex]";
  var running = new WeakMap();
  function load(place, address, text) {
    if (running.has(place)) { running.get(place).abort(); }
    var control = new AbortController();
    running.set(place, control);
    place.setAttribute("aria-busy", "true");
    if (text) { wait(place, text); }
    return fetch(address, {signal: control.signal, credentials: "same-origin"}).then(function (answer) {
      return answer.text();
    }).then(function (html) {
      place.innerHTML = html;
      place.removeAttribute("aria-busy");
      ready(place);
    }).catch(function (error) {
      if (error.name !== "AbortError") {
        place.removeAttribute("aria-busy");
        place.textContent = "The workbench does not answer. Begin it again with evosdc app; nothing is lost.";
      }
    });
  }

  function copy(button) {
    var text = button.parentElement.querySelector(".copied").textContent;
    navigator.clipboard.writeText(text).then(function () {
      var before = button.textContent;
      button.textContent = "Copied";
      setTimeout(function () { button.textContent = before; }, 1500);
    });
  }

  function upload(form) {
    var file = form.querySelector("input[type=file]").files[0];
    var bar = form.querySelector("progress"), message = form.querySelector(".message");
    var request = new XMLHttpRequest();
    request.open("POST", form.dataset.upload + "?name=" + encodeURIComponent(file.name));
    request.setRequestHeader("x-form", formToken);
    request.upload.addEventListener("progress", function (event) {
      if (event.lengthComputable) { bar.value = 100 * event.loaded / event.total; }
    });
    request.addEventListener("load", function () {
      if (request.status === 200) {
        location.href = "/file?data=" + encodeURIComponent(JSON.parse(request.responseText).data);
      } else {
        var page = new DOMParser().parseFromString(request.responseText, "text/html");
        var said = page.querySelector(".faults li") || page.querySelector("main p");
        message.textContent = said ? said.textContent : "That did not work.";
        bar.hidden = true;
      }
    });
    request.addEventListener("error", function () {
      message.textContent = "The file was not taken: it may be too large.";
      bar.hidden = true;
    });
    bar.hidden = false;
    message.textContent = "";
    request.send(file);
  }

  function shown(place, state) {
    place.querySelectorAll("[data-run]").forEach(function (run) {
      if (run.dataset.run !== state.name) { return; }
      var live = run.querySelector("[data-part=live]"), focused = live.contains(document.activeElement);
      // Opened parts stay open, and keyboard users keep their position.
      var open = Array.from(live.querySelectorAll("details"), function (part) { return part.open; });
      var at = focused ? Array.from(live.querySelectorAll(FOCUSABLE)).indexOf(document.activeElement) : -1;
      live.innerHTML = state.html;
      live.querySelectorAll("details").forEach(function (part, place) { if (open[place]) { part.open = true; } });
      if (at >= 0) { (live.querySelectorAll(FOCUSABLE)[at] || live).focus({preventScroll: true}); }
      run.querySelectorAll("[data-when]").forEach(function (part) { part.hidden = !state[part.dataset.when]; });
    });
  }

  // A browser holds six connections to a server. So only a few visible pages have a stream; all others poll.
  var STREAMS = 3, PAUSE = 3000;
  function follow(place) {
    var source = null, timer, release = null, turn = 0, renewed = false, notice = document.createElement("p");
    notice.className = "notice";
    notice.setAttribute("role", "alert");
    function stop() {
      turn += 1;
      clearTimeout(timer);
      if (source) { source.close(); source = null; }
      if (release) { release(); release = null; }
    }
    function start() {
      stop();
      take(turn, 0);
    }
    function take(mine, number) {
      if (!navigator.locks || number === STREAMS) { look(mine); return; }
      navigator.locks.request("evosdc-stream-" + number, {ifAvailable: true}, function (lock) {
        if (mine !== turn) { return null; }
        if (!lock) { take(mine, number + 1); return null; }
        listen();
        return new Promise(function (done) { release = done; });
      });
    }
    function tell(text) {
      if (notice.textContent !== text) { notice.textContent = text; }
      if (!notice.isConnected) { place.before(notice); }
    }
    function heard() {
      if (renewed) { location.reload(); }
      notice.remove();
    }
    function lost() {
      fetch("/static/app.css", {method: "HEAD", credentials: "same-origin", cache: "no-store"}).then(function (answer) {
        if (answer.ok) { return; }
        renewed = true;
        tell("The workbench was restarted, so this page is out of date. Open the new address that evosdc app printed.");
      }, function () {
        renewed = true; // when it answers again it is another server, which does not know the forms of this page
        tell("The connection to the workbench is lost, so that this page stands still. Searches go on. Begin it again with evosdc app; nothing is lost.");
      });
    }
    function listen() {
      source = new EventSource(place.dataset.live);
      source.addEventListener("open", heard);
      source.addEventListener("error", function () {
        lost();
        if (source && source.readyState === EventSource.CLOSED) { timer = setTimeout(start, PAUSE); }
      });
      source.addEventListener("run", function (event) { shown(place, JSON.parse(event.data)); });
    }
    function look(mine) {
      fetch(place.dataset.live + "&once=1", {credentials: "same-origin"}).then(function (answer) {
        if (!answer.ok) { throw new Error("refused"); }
        return answer.json();
      }).then(function (runs) {
        if (mine !== turn) { return; }
        runs.forEach(function (state) { shown(place, state); });
        heard();
      }).catch(lost).then(function () {
        if (mine === turn) { timer = setTimeout(start, PAUSE); }
      });
    }
    function looked() { if (document.hidden) { stop(); } else { start(); } }
    document.addEventListener("visibilitychange", looked);
    window.addEventListener("pagehide", stop);
    window.addEventListener("pageshow", function (event) { if (event.persisted) { looked(); } });
    looked();
  }

  function settled(action, delay) {
    var timer;
    return function () { clearTimeout(timer); timer = setTimeout(action, delay); };
  }

  function said(form) {
    function query() {
      var fields = new URLSearchParams(new FormData(form));
      fields.delete("form");
      return fields.toString();
    }
    var command = settled(function () {
      load(document.getElementById(form.dataset.into || "command"), form.dataset.says + "?" + query(), form.dataset.wait);
    }, 150);
    var limit = settled(function () {
      load(document.getElementById("limit"), form.dataset.limit + "?" + query(), "Computing the limit");
    }, 500);
    var refused = settled(function () {
      load(document.getElementById("refused"), "/fragment/refused?" + query(), "Checking whether the search can begin");
    }, 900);
    form.addEventListener("input", function (event) {
      form.querySelectorAll("output").forEach(function (output) {
        if (output.htmlFor.contains(event.target.id)) { output.textContent = event.target.value; }
      });
      var box = form.elements[event.target.name + "_on"];
      if (event.target.type === "range" && box) { box.checked = true; }
      command();
      if (form.dataset.limit) { refused(); }
      if (form.dataset.limit && ["dr", "dr_on", "protect", "limited"].indexOf(event.target.name) >= 0) { limit(); }
    });
  }

  function ready(part) {
    part.querySelectorAll("[data-load]").forEach(function (place) {
      place.querySelectorAll(".wait").forEach(tick);
      load(place, place.dataset.load);
    });
    part.querySelectorAll("[data-live]").forEach(function (place) { if (place.dataset.live) { follow(place); } });
    part.querySelectorAll("form[data-says]").forEach(said);
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (!button) { return; }
    if (button.hasAttribute("data-copy")) { copy(button); }
    if (button.dataset.from) {
      var place = document.getElementById(button.dataset.into);
      load(place, button.dataset.from, button.dataset.wait).then(function () {
        // The clicked button is gone: keyboard users keep their position.
        if (!place.contains(document.activeElement)) { place.tabIndex = -1; place.focus({preventScroll: true}); }
      });
    }
  });
  function working(form) {
    // A second click would do it a second time.
    form.querySelectorAll("button").forEach(function (button) { button.disabled = true; });
    var place = document.createElement("div");
    place.setAttribute("role", "status");
    form.append(place);
    wait(place, form.dataset.working);
  }
  window.addEventListener("pageshow", function (event) {
    if (event.persisted && document.querySelector("[data-working]")) { location.reload(); }
  });

  // Confirm before leaving a page with typed labels that are not saved.
  var typed = null;
  document.addEventListener("input", function (event) {
    var form = event.target.closest("form[data-typed]");
    if (form) { typed = form; }
  });
  window.addEventListener("beforeunload", function (event) {
    if (typed) { event.preventDefault(); }
  });

  document.addEventListener("submit", function (event) {
    var form = event.target;
    if (form === typed) { typed = null; }
    if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) { event.preventDefault(); return; }
    if (form.dataset.working) { working(form); }
    if (form.dataset.upload) { event.preventDefault(); upload(form); }
    if (form.dataset.from) {
      event.preventDefault();
      var fields = new URLSearchParams(new FormData(form)).toString();
      load(document.getElementById(form.dataset.into), form.dataset.from + "&" + fields);
    }
  });
  // What is changed is saved at once: nothing is lost by a link, by undo, or in another tab.
  var saving = Promise.resolve();
  var notice = settled(function () {
    ["remarks", "refused"].forEach(function (name) {
      var place = document.getElementById(name);
      if (place) { load(place, place.dataset.load); }
    });
  }, 1500);
  function save(form, field) {
    var row = field.closest("tr"), message = form.querySelector(".message"), before = row.querySelector("[name=before]");
    function chosen() {
      return ["role", "scale", "missing"].map(function (part) { return row.querySelector("[name=" + part + "]").value.trim(); }).join(" ");
    }
    message.textContent = "Saving…";
    saving = saving.then(function () {
      // What is shown when its turn comes is saved, and compared with what the file says then.
      var wanted = chosen(), name = row.querySelector("[name=name]").value;
      if (wanted === before.value.trimEnd() || wanted === before.value) { message.textContent = "Saved: " + name + "."; return null; }
      var fields = new URLSearchParams({form: formToken, part: "1"});
      fields.set("data", form.elements.data.value);
      row.querySelectorAll("[name]").forEach(function (part) { fields.append(part.name, part.value); });
      return fetch(form.dataset.saves, {method: "POST", body: fields, credentials: "same-origin"}).then(function (answer) {
        if (answer.ok) {
          before.value = wanted;
          row.querySelector("a.order").hidden = row.querySelector("[name=scale]").value !== "ordinal";
          message.textContent = "Saved: " + name + ".";
          notice();
          return null;
        }
        return answer.text().then(function (text) {
          var page = new DOMParser().parseFromString(text, "text/html"), said = page.querySelector(".faults li, main p");
          message.textContent = "Not saved. " + (said ? said.textContent : "");
          if (chosen() !== wanted) { return; } // another choice was made since, and is saved next
          var was = before.value.split(" ");
          row.querySelector("[name=role]").value = was[0];
          row.querySelector("[name=scale]").value = was[1] || "";
          row.querySelector("[name=missing]").value = was.slice(2).join(" ");
        });
      });
    }).catch(function () { message.textContent = "Not saved: the workbench does not answer. Begin it again with evosdc app."; });
  }

  document.addEventListener("change", function (event) {
    var saved = event.target.closest("form[data-saves]");
    if (saved) { save(saved, event.target); }
    // A point of the map and a radio button are the same choice.
    var table = event.target.closest("table.front");
    if (table && event.target.type === "radio") {
      table.querySelectorAll("tr").forEach(function (row) {
        row.classList.toggle("chosen", !!row.querySelector("input[name=member]:checked"));
        row.classList.toggle("other", !!row.querySelector("input[name=other]:checked"));
      });
    }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && document.activeElement.classList.contains("term")) { document.activeElement.blur(); }
  });
  var chosen = document.querySelector("table.front tr.chosen");
  if (chosen) {
    var box = chosen.closest(".scroll");
    box.scrollTop = chosen.offsetTop - box.clientHeight / 2;
  }
  ready(document);
})();
