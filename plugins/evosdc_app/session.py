"""The secrets of one server: the token in the address it opens, the cookie, and what forms carry."""

import hmac
import secrets
import threading


class Session:
    """Secrets that live as long as the server, and on no disk.

    Parameters
    ----------
    port : int
        Cookies know no ports: the name has it, so that two workbenches do not take each other's.
    """

    def __init__(self, port: int) -> None:
        self.cookie_name = f"evosdc-app-{port}"
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.form = secrets.token_urlsafe(32)
        self.used = threading.Event()

    def enter(self, token: str) -> bool:
        """Take the token of the opened address; true once."""
        if self.used.is_set() or not _same(token, self.token):
            return False
        self.used.set()
        return True

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is the one that was given out; before that no one is."""
        return self.used.is_set() and _same(cookie, self.cookie)

    def accepts(self, form: str) -> bool:
        """Whether what a form carries is what its page was given."""
        return _same(form, self.form)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
