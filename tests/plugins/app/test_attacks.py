"""Everything that the workbench promises of its safety, attacked."""

from __future__ import annotations

import asyncio
import gzip
import io
import logging
import re
import ssl
import stat
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.request import urlopen

import pytest

from evosdc_app.guard import MOST_FORM, Guard, Session
from tests.plugins.app.conftest import MARK, fill, serving

EVIL = "http://evil.example"


@pytest.fixture(scope="module")
def routes():
    from evosdc_app.application import SCREENS

    return [route for screen in SCREENS for route in screen.ROUTES]


PAGES = (
    "/",
    "/file?data=survey.csv",
    "/risk?data=survey.csv",
    "/goal?data=survey.csv",
    "/search",
    "/choose",
    "/history",
)


class TestWhoMayAsk:
    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "evil.example:{port}",
            "127.0.0.1",
            "127.0.0.1.evil.example:{port}",
            "",
        ],
    )
    def test_another_name_of_this_server_is_refused(self, server, host):
        # DNS rebinding: the page of another site, whose name was bent to this computer.
        answer = server.ask("GET", "/", Host=host.format(port=server.port))
        assert answer.status in (400, 421)
        assert "survey" not in answer.text

    def test_its_own_names_are_known(self, server):
        assert server.ask("GET", "/", Host=f"localhost:{server.port}").status == 200

    @pytest.mark.parametrize(
        "origin", [EVIL, "null", "http://127.0.0.1", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://[::1"]
    )
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_other_sites_are_refused(self, server, method, origin):
        origin = origin.format(port=server.port)
        assert server.ask(method, "/edit" if method == "POST" else "/", Origin=origin).status == 403

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_what_another_site_embeds_is_refused(self, server, site):
        assert server.ask("GET", "/fragment/preview?data=survey.csv", Sec_Fetch_Site=site).status == 403

    def test_a_form_from_nowhere_is_refused(self, server):
        assert server.ask("POST", "/init", f"form={server.form}&data=survey.csv").status == 403

    def test_without_the_cookie_there_is_nothing(self, server, routes):
        for method, path in [*routes, ("GET", "/static/app.css"), ("GET", "/nothing")]:
            for cookie in (None, "evosdc-app-1=x", f"evosdc-app-{server.port}=x", f"evosdc-app-{server.port}="):
                answer = server.ask(method, path, known=False, Cookie=cookie, Origin=server.origin)
                assert answer.status == 403, path
                assert "survey" not in answer.text

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
    def test_other_methods_are_refused(self, server, method):
        answer = server.ask(method, "/", Origin=server.origin)
        assert answer.status == 405
        assert "access-control-allow-origin" not in answer.headers

    def test_it_listens_on_this_computer_alone(self, server):
        listening = [
            line.split()[1]
            for table in ("tcp", "tcp6")
            if Path(f"/proc/net/{table}").exists()
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
            if line.split()[3] == "0A"
        ]
        if not listening:
            pytest.skip("this system does not tell who listens")
        assert [one for one in listening if one.endswith(f":{server.port:04X}")] == [f"0100007F:{server.port:04X}"]


class TestTheToken:
    def test_it_works_once_and_its_cookie_is_out_of_reach(self, tmp_path):
        with serving(fill(tmp_path / "f")) as fresh:
            for wrong in ("", "x", fresh.token[:-1], fresh.token + "x"):
                assert fresh.ask("GET", f"/enter?token={wrong}").status == 403
            assert fresh.ask("GET", "/", Cookie=f"evosdc-app-{fresh.port}={fresh.token}").status == 403
            answer = fresh.ask("GET", f"/enter?token={fresh.token}")
            fresh.cookie, *flags = (part.strip() for part in answer.headers["set-cookie"].split(";"))
            assert {"httponly", "samesite=strict", "path=/"} <= {flag.lower() for flag in flags}
            assert not any(flag.lower().startswith(("domain", "expires", "max-age")) for flag in flags)
            assert answer.headers["cache-control"] == "no-store"
            assert fresh.ask("GET", f"/enter?token={fresh.token}", known=False).status == 403
            pages = fresh.get("/").text + fresh.get("/static/app.js").text
            assert fresh.token not in pages
            assert fresh.cookie.partition("=")[2] not in pages

    def test_tokens_are_long_and_never_the_same(self):
        sessions = [Session(1) for _ in range(50)]
        secrets = {secret for s in sessions for secret in (s.token, s.cookie, s.form)}
        assert len(secrets) == 150
        assert min(map(len, secrets)) >= 43


class TestForms:
    @pytest.mark.parametrize("form", [None, "", "x"])
    def test_a_form_that_no_page_gave_does_nothing(self, server, routes, form):
        before = sorted(path.name for path in server.folder.rglob("*"))
        posted = [path for method, path in routes if method == "POST"]
        assert len(posted) >= 11
        for path in posted:
            fields = "data=survey.csv&run=x&member=0&output=stolen.csv&seconds=1" + (
                "" if form is None else f"&form={form}"
            )
            answer = server.ask("POST", f"{path}?name=stolen.csv", fields, Origin=server.origin)
            assert answer.status == 403, path
        assert sorted(path.name for path in server.folder.rglob("*")) == before

    def test_a_form_that_is_too_long_is_refused(self, server):
        assert server.post("/edit", data="x" * MOST_FORM).status == 413

    def test_nothing_is_done_by_an_address(self, server, routes):
        shown = {path for method, path in routes if method == "GET"}  # a page of the same address only shows
        for method, path in routes:
            if method == "POST" and path not in shown:
                assert server.ask("GET", f"{path}?form={server.form}&data=survey.csv").status == 405


@pytest.fixture(scope="module")
def secret(server):
    place = server.folder.parent / "secret.csv"
    place.write_text("a,b\nTopSecret,1\n")
    (server.folder / "link.csv").symlink_to(place)
    (server.folder / "ways").mkdir(exist_ok=True)
    (server.folder / "ways" / "up").symlink_to(server.folder.parent)
    (server.folder / ".hidden.csv").write_text("a\nTopSecret\n")
    (server.folder / "runs").mkdir(exist_ok=True)
    (server.folder / "runs" / "away").symlink_to(server.folder.parent)
    return place


class TestTheFolder:
    WAYS = (
        "../secret.csv", "..", "link.csv", "ways/up/secret.csv", ".hidden.csv", "ways/../../secret.csv", "/etc/passwd",
        "./../secret.csv", "x\0.csv", "..\\secret.csv", "%2e%2e/secret.csv", "~/secret.csv", "file:///etc/passwd",
    )  # fmt: skip

    @pytest.mark.parametrize("way", WAYS)
    def test_nothing_outside_can_be_read(self, server, secret, way):
        given = {"data": way or "/", "file": way, "run": way, "page": way, "attribute": "a", "member": "0"}
        for path in ("/file", "/fragment/preview", "/fragment/attributes", "/fragment/remarks", "/fragment/risk",
                     "/goal", "/fragment/limit", "/hierarchy", "/save", "/report", "/choose", "/fragment/member",
                     "/fragment/command", "/history"):  # fmt: skip
            answer = server.get(path, **given)
            assert "TopSecret" not in answer.text, path
            assert "root:" not in answer.text, path
            assert answer.status in (400, 404), path

    @pytest.mark.parametrize("way", ["..", "../..", "away", "../../secret.csv", "/", "."])
    def test_nothing_outside_can_be_changed(self, server, secret, way):
        for path in ("/stop", "/finish", "/resume", "/remove", "/export"):
            assert server.post(path, run=way, member="0", output="x.csv").status in (400, 404), path
        for path, fields in (
            ("/init", {"data": way}), ("/edit", {"data": way}), ("/undo", {"data": way}),
            ("/withdraw", {"manifest": way}), ("/draw", {"data": way, "attribute": "a"}),
        ):  # fmt: skip
            assert server.post(path, **fields).status in (400, 404), path
        assert secret.read_text() == "a,b\nTopSecret,1\n"
        assert [path.name for path in server.folder.parent.glob("*.toml")] == []

    @pytest.mark.parametrize(
        "output", ["../out.csv", "/tmp/out.csv", "ways/up/out.csv", ".out.csv", "runs/../../out.csv"]
    )
    def test_nothing_is_exported_outside(self, server, secret, output):
        (server.folder / "runs" / "some").mkdir(exist_ok=True)
        assert server.post("/export", run="some", member="0", output=output).status == 400
        assert not (server.folder.parent / "out.csv").exists()

    def test_a_schema_that_leads_outside_is_refused(self, server, secret):
        (server.folder / "h.csv").write_text("a,b\n1,2\n")
        schema = server.folder / "h.schema.toml"
        for named in ("../secret.csv", str(secret), "ways/up/secret.csv"):
            schema.write_text(f'[attributes]\na = {{ role = "other", hierarchy = "{named}" }}\n')
            for path in ("/fragment/attributes", "/fragment/remarks", "/hierarchy", "/risk"):
                answer = server.get(path, data="h.csv", attribute="a")
                assert answer.status == 400
                assert "TopSecret" not in answer.text
        schema.unlink()

    def test_what_lies_in_no_run_is_not_removed(self, server, secret):
        (server.folder / "runs" / "mine").mkdir(exist_ok=True)
        (server.folder / "runs" / "mine" / "letter.txt").write_text("x")
        for run in ("mine", "away", "."):
            assert server.post("/remove", run=run).status == 400
        assert (server.folder / "runs" / "mine" / "letter.txt").exists()

    def test_a_name_that_looks_like_an_option_is_a_file(self, server):
        (server.folder / "--help.csv").write_text("sex,age\nm,20\nf,21\nm,22\n")
        listed = re.findall(r'href="/file\?data=([^"]+)"', server.get("/").text)
        assert ".%2F--help.csv" in listed
        answer = server.post("/init", data="./--help.csv")
        assert answer.status == 303
        assert (server.folder / "--help.schema.toml").exists()

    def test_originals_are_not_sent_to_be_saved(self, server):
        (server.folder / "survey.csv.toml").write_text("x = 1\n")
        for name in ("survey.csv", "survey.csv.toml", "survey.schema.toml"):
            assert server.get("/save", file=name).status in (400, 404)

    def test_secrets_are_neither_shown_nor_sent(self, server):
        run, digits = server.folder / "runs" / "drawn", "5ec2e7" + "0" * 58
        run.mkdir(parents=True)
        (run / "resolved.json").write_text('{"title": "x", "data": {"file": "survey.csv"}}')
        names = ("key", "crosswalk.csv", "crosswalk-out.csv", "scores.csv", "journal.jsonl", "checkpoint-00000001.npz")
        for name in names:
            text = f"{digits}\n" if name == "key" else f"published,original\n1,{digits}\n"
            (run / name).write_text(text)
        # The same under other names, and one that a manifest tells of as what was exported.
        (server.folder / "mine.csv").write_text(f"published,original\n1,{digits}\n")
        (server.folder / "other.csv").write_text(f"{digits}\n")
        manifest = server.folder / "other.manifest.json"
        manifest.write_text('{"member": 0, "run": "drawn", "output": {"name": "other.csv"}}')
        for way in (*(f"runs/drawn/{name}" for name in names), "mine.csv", "other.csv"):
            for path in ("/file", "/fragment/preview", "/fragment/attributes", "/fragment/remarks", "/risk", "/save",
                         "/fragment/risk", "/goal", "/hierarchy", "/history", "/report"):  # fmt: skip
                answer = server.get(path, data=way, file=way, run="drawn", page=Path(way).name, attribute="original")
                assert digits not in answer.text, (way, path)
                assert answer.status in (400, 404), (way, path)
        for path in ("/search", "/choose", "/history", "/"):
            shown = server.get(path, run="drawn", data="survey.csv").text
            assert digits not in shown
            assert "crosswalk" not in shown
            assert "mine.csv" not in shown
        manifest.unlink()


class TestUploads:
    def send(self, server, name, body, **headers):
        known = {"Origin": server.origin, "x_form": server.form}
        return server.ask("POST", f"/upload?name={name}", body, **(known | headers))

    def test_they_are_bounded_packed_ones_too(self, tmp_path):
        with serving(fill(tmp_path / "f"), "--most-upload", "1") as server:
            server.enter()
            large, packed = b"a\n" * 600_000, io.BytesIO()
            assert self.send(server, "large.csv", large).status == 413
            chunks = (b"a\n" * 50_000 for _ in range(20))  # without a length
            assert self.send(server, "large.csv", chunks).status == 413
            assert self.send(server, "large.csv", b"a\n", Content_Length="999999999999").status == 413
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("large.csv", large)
            for name, body in (("large.csv.gz", gzip.compress(large)), ("large.zip", packed.getvalue())):
                answer = self.send(server, name, body)
                assert answer.status == 400
                assert "a packed file of more" in answer.text
            assert [path.name for path in server.folder.iterdir()] == ["survey.csv"]
            assert self.send(server, "small.csv.gz", gzip.compress(b"a,b\n1,2\n")).status == 200

    def test_they_are_for_their_owner_alone(self, server):
        answer = self.send(server, "new.csv", b"a,b\n1,2\n")
        assert answer.status == 200
        assert stat.S_IMODE((server.folder / "new.csv").stat().st_mode) == 0o600

    def test_nothing_is_written_over(self, server):
        before = (server.folder / "survey.csv").read_bytes()
        assert self.send(server, "survey.csv", b"a\n1\n").status == 200
        assert (server.folder / "survey.csv").read_bytes() == before
        assert (server.folder / "survey-2.csv").read_bytes() == b"a\n1\n"

    @pytest.mark.parametrize("name", ["../up.csv", "/tmp/up.csv", "..%5Cup.csv", "a/b/up.csv"])
    def test_they_stay_in_the_folder(self, server, name):
        assert self.send(server, name, b"a\n1\n").status == 200
        assert not (server.folder.parent / "up.csv").exists()
        assert not Path("/tmp/up.csv").exists()

    @pytest.mark.parametrize("name", ["x.py", "x.schema.toml", "x.html", ".csv", "", "..", "x"])
    def test_only_data_files_are_taken(self, server, name):
        before = sorted(server.folder.iterdir())
        assert self.send(server, name, b"a\n1\n").status == 400
        assert sorted(server.folder.iterdir()) == before


class Inline(HTMLParser):
    """Whatever a strict policy would forbid."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        self.found += [f"{tag} {name}" for name in names if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and not names.get("src")):
            self.found.append(tag)
        for name in ("src", "href", "action", "data-load", "data-from", "data-live"):
            if re.match(r"\w+:|//", names.get(name) or ""):
                self.found.append(f"{tag} {name}={names[name]}")


class TestPages:
    def test_nothing_is_inline_and_nothing_is_from_elsewhere(self, server):
        fragments = [f"/fragment/{n}?data=survey.csv" for n in ("preview", "command", "remarks")]
        for path in (*PAGES, *fragments, "/nothing"):
            answer = server.get(path)
            reader = Inline()
            reader.feed(answer.text)
            assert reader.found == [], path

    def test_a_policy_stands_before_everything(self, server):
        paths = (*PAGES, "/static/app.js", "/nothing", "/file?data=../x", "/enter?token=x")
        for answer in [*map(server.get, paths), server.ask("GET", "/", known=False), server.ask("GET", "/", Host="x")]:
            policy = dict(part.split(maxsplit=1) for part in answer.headers["content-security-policy"].split("; "))
            assert policy["default-src"] == "'none'"
            assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
            assert policy["frame-ancestors"] == "'none'"
            assert "unsafe" not in str(policy)
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["cache-control"] == "no-store"
            assert "server" not in answer.headers

    def test_values_and_names_are_escaped(self, server):
        bad = "<script>alert(1)</script>"
        name = "<img src=x onerror=alert(2)>.csv"
        (server.folder / name).write_text(
            f"{bad},age,{'{{7*7}}'}\n" + "".join(f"{bad}{i % 2},{i},{bad}\n" for i in range(9))
        )
        assert server.post("/init", data=name).status == 303
        for path in ("/file", "/fragment/preview", "/fragment/attributes", "/fragment/remarks", "/risk",
                     "/fragment/risk", "/goal", "/history", "/hierarchy"):  # fmt: skip
            text = server.get(path, data=name, attribute=bad).text.replace(server.form, "")
            assert "<script>alert" not in text, path
            assert "<img" not in text, path
            assert "{{7*7}}" in text or "49" not in text
        assert "&lt;script&gt;" in server.get("/fragment/preview", data=name).text
        assert "<img" not in server.get("/").text
        assert "<script>alert" not in server.get("/file", data=bad).text

    def test_reports_are_shut_off(self, server):
        run = server.folder / "runs" / "told"
        run.mkdir(parents=True)
        (run / "resolved.json").write_text('{"title": "x", "data": {"file": "survey.csv"}}')
        (run / "report.html").write_text("<!doctype html><script>1</script>")
        assert server.get("/report", run="told").status == 404, "no page that evosdc wrote"
        (run / "report.html").write_text('<!doctype html><meta name="generator" content="evosdc 1"><script>1</script>')
        answer = server.get("/report", run="told")
        assert answer.status == 200
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("sandbox allow-scripts; default-src 'none'")
        assert "allow-same-origin" not in policy
        assert "connect-src" not in policy


class TestLogs:
    def test_an_error_tells_no_values(self, caplog):
        async def broken(scope, receive, send):
            raise ValueError(f"could not convert {MARK}")

        session = Session(80)
        session.enter(session.token)
        sent = []

        async def send(message):
            sent.append(message)

        headers = [(b"host", b"h"), (b"cookie", f"evosdc-app-80={session.cookie}".encode())]
        scope = {"type": "http", "method": "GET", "path": "/x", "query_string": b"", "headers": headers}
        with caplog.at_level(logging.DEBUG):
            asyncio.run(Guard(broken, session, ("h",), False, 1)(scope, None, send))
        assert sent[0]["status"] == 500
        assert "ValueError" in caplog.text
        assert MARK not in caplog.text + str(sent)

    def test_the_terminal_tells_no_values_and_no_addresses(self, server):
        server.get("/fragment/preview", data="survey.csv")
        server.get("/fragment/risk", data="survey.csv", secret=MARK)
        log = server.log.read_text()
        assert MARK not in log + server.said
        assert "survey" not in log


class TestElsewhere:
    @pytest.mark.parametrize("words", [("--host", "0.0.0.0"), ("--host", "::"), ("--certificate", "x.pem")])
    def test_another_address_needs_tls(self, tmp_path, words, capsys):
        from evosdc.cli import main

        with pytest.raises(SystemExit) as caught:
            main(["app", str(tmp_path), "--no-browser", *words])
        assert caught.value.code == 2
        assert "wanted" in capsys.readouterr().err

    def test_a_folder_that_is_none_and_a_port_that_is_taken_are_told(self, tmp_path, server, capsys):
        from evosdc.cli import main

        for words in (
            ["app", str(tmp_path / "no")],
            ["app", str(tmp_path), "--port", str(server.port), "--no-browser"],
        ):
            with pytest.raises(SystemExit) as caught:
                main(words)
            assert caught.value.code == 2
            assert "Error: " in capsys.readouterr().err

    def test_with_tls_the_cookie_is_secure(self, tmp_path):
        certificate, key = self_signed(tmp_path)
        with serving(fill(tmp_path / "f"), "--certificate", str(certificate), "--tls-key", str(key)) as server:
            trusting = ssl.create_default_context(cafile=str(certificate))
            with urlopen(f"https://127.0.0.1:{server.port}/enter?token={server.token}", context=trusting) as answer:
                assert "Secure" in answer.headers["set-cookie"]

    def test_what_is_written_is_for_its_owner_alone(self, server):
        assert server.post("/init", data="survey.csv").status == 303
        written = server.folder / "survey.schema.toml"
        assert stat.S_IMODE(written.stat().st_mode) == 0o600


def self_signed(folder):
    """Write a certificate of this computer and its key."""
    import datetime
    import ipaddress

    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return paths
