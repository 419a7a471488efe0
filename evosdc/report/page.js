(function () {
  "use strict";
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var night = JSON.parse(document.getElementById("night").textContent);
  var wide = 620;
  var sources = {};
  document.querySelectorAll("script[data-figure]").forEach(function (s) { sources[s.dataset.figure] = s.textContent; });
  // A list of its own, since the usual one may offer to send a figure away.
  var buttons = [["toImage", "zoom2d", "pan2d", "resetScale2d"]];

  function put(target, path, value) {
    var steps = path.replace(/\[(\d+)\]/g, ".$1").split(".");
    var last = steps.pop();
    var place = steps.reduce(function (inner, step) { return inner && inner[step]; }, target);
    if (place) { place[last] = value; }
  }

  function draw(place, onPaper, width) {
    var text = sources[place.id];
    if (dark.matches && !onPaper) {
      Object.keys(night).forEach(function (day) { text = text.split('"' + day + '"').join('"' + night[day] + '"'); });
    }
    var figure = JSON.parse(text);
    var layout = figure.layout;
    var room = width || place.clientWidth;
    if (room < wide) {
      var narrow = (layout.meta || {}).narrow || {};
      Object.keys(narrow).forEach(function (path) { put(layout, path, narrow[path]); });
      if ((layout.legend || {}).orientation !== "h" && layout.showlegend !== false) {
        layout.legend = Object.assign({}, layout.legend, {orientation: "h", x: 0, y: -0.16, yanchor: "top"});
        layout.height += 90;
      }
      layout.margin = Object.assign({}, layout.margin, {l: 44, r: 26});
      layout.font = Object.assign({}, layout.font, {size: 11});
    }
    if (width) {
      layout.width = width;
      layout.autosize = false;
      // A legend beside the figure needs the height.
      var beside = (layout.legend || {}).orientation !== "h" && layout.showlegend !== false;
      layout.height = Math.round(layout.height * (beside ? 0.86 : 0.72));
      if (beside) { layout.legend = Object.assign({}, layout.legend, {font: {size: 9}}); }
    }
    place.style.minHeight = layout.height + "px";
    return Plotly.react(place, figure.data, layout, {
      responsive: true, displaylogo: false, displayModeBar: onPaper ? false : "hover", modeBarButtons: buttons,
      showLink: false, showSendToCloud: false, plotlyServerURL: ""
    }).then(function () { place.dataset.drawn = room < wide ? "narrow" : "wide"; });
  }

  function places(every) {
    return Array.prototype.filter.call(document.querySelectorAll(".plot"), function (place) {
      return sources[place.id] && (every || place.offsetParent !== null);
    });
  }

  // One at a time, so that a page with many runs can be read while its lower figures are still being drawn.
  var waiting = [];
  function next() {
    if (waiting.length) { draw(waiting.shift()); setTimeout(next, 0); }
  }
  function drawAgain(which) {
    var idle = !waiting.length;
    waiting = waiting.concat(which);
    if (idle) { next(); }
  }
  drawAgain(places());
  document.querySelectorAll("details").forEach(function (folded) {
    folded.addEventListener("toggle", function () {
      drawAgain(places().filter(function (place) { return folded.contains(place) && !place.dataset.drawn; }));
    });
  });
  // A link from the contents opens what is folded.
  function unfold() {
    var target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") { target.open = true; }
  }
  window.addEventListener("hashchange", unfold);
  unfold();
  dark.addEventListener("change", function () { drawAgain(places()); });
  var settled;
  window.addEventListener("resize", function () {
    clearTimeout(settled);
    settled = setTimeout(function () {
      drawAgain(places().filter(function (place) {
        return place.dataset.drawn && place.dataset.drawn !== (place.clientWidth < wide ? "narrow" : "wide");
      }));
    }, 200);
  });
  // Paper is light, and its columns are narrower; what is folded stays folded.
  window.addEventListener("beforeprint", function () {
    waiting = [];
    places().forEach(function (place) { draw(place, true, place.closest(".half") ? 320 : 660); });
  });
  window.addEventListener("afterprint", function () { drawAgain(places()); });
})();
