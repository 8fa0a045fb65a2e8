// The page is complete without this script, which adds the values under the pointer.
(function () {
  "use strict";

  // values: the nearest point, and the points of the other strategies at the same place of
  // the panel
  var reach = 40; // pixels
  document.querySelectorAll(".chart").forEach(function (chart) {
    var tip = null, points = null;
    var collect = function () {
      var box = chart.getBoundingClientRect();
      points = [];
      chart.querySelectorAll(".pb-pt").forEach(function (g) {
        var title = g.querySelector("title"), r = g.getBoundingClientRect();
        if (title && !g.dataset.text) { g.dataset.text = title.textContent; title.remove(); } // or the browser would show both
        if (!g.dataset.text || r.width === 0) { return; }
        var lines = g.dataset.text.split("\n");
        points.push({ x: r.left + r.width / 2 - box.left, y: r.top + r.height / 2 - box.top, place: lines[0], text: lines[1], style: g.dataset.s });
      });
    };
    var hide = function () { if (tip) { tip.remove(); tip = null; } };
    chart.addEventListener("pointerenter", collect);
    chart.addEventListener("pointerleave", hide);
    chart.addEventListener("pointermove", function (e) {
      if (!points) { collect(); }
      var box = chart.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
      var near = null, best = reach * reach;
      points.forEach(function (p) {
        var d = (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y);
        if (d < best) { best = d; near = p; }
      });
      hide();
      if (!near) { return; }
      var peers = points.filter(function (p) { return p.place === near.place && Math.abs(p.x - near.x) < 3; });
      peers.sort(function (a, b) { return Math.abs(a.y - b.y) < 3 ? a.style - b.style : a.y - b.y; });
      var seen = new Set();
      peers = peers.filter(function (p) { var k = p.style; if (seen.has(k)) { return false; } seen.add(k); return true; });
      tip = document.createElement("div");
      tip.className = "tip";
      var head = document.createElement("b");
      head.textContent = near.place;
      tip.appendChild(head);
      peers.forEach(function (p) {
        var row = document.createElement("div");
        row.appendChild(document.createTextNode(p.text));
        if (p === near) { row.className = "near"; }
        tip.appendChild(row);
      });
      chart.appendChild(tip);
      var left = near.x + 14;
      if (left + tip.offsetWidth > box.width) { left = Math.max(0, near.x - tip.offsetWidth - 14); }
      tip.style.left = left + "px";
      tip.style.top = Math.max(0, Math.min(near.y - tip.offsetHeight / 2, box.height - tip.offsetHeight)) + "px";
    });
  });
})();
